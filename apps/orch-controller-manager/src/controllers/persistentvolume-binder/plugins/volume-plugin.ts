import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import {
  annotationOf,
  type Claim,
  provisionedBy,
  type StorageClass,
  type Volume,
} from "@orchernetes/component-helpers";
import type { NewPod } from "@orchernetes/controller";

/** The operations that this program supports for a kind of volume. */
export interface VolumePlugin {
  /** Such as `orchernetes.io/host-path`. */
  readonly name: string;
  /** Whether the plugin handles this volume. */
  supports(volume: Volume): boolean;
  /** Deletes the storage of the volume; the caller deletes the PersistentVolume. Idempotent. */
  readonly delete?: (volume: Volume) => Promise<void>;
  /** A pod that deletes the content of the volume and then completes. */
  readonly recyclerPod?: (volume: Volume) => NewPod;
  /**
   * Creates the storage for a claim.
   *
   * @param node the node that the scheduler has selected for the claim's first consumer; undefined for a claim that does
   *   not wait for it
   */
  readonly provision?: (
    claim: Claim,
    storageClass: StorageClass,
    node: Stored<core.Node> | undefined,
  ) => Promise<Provisioned>;
}

/** The storage that was created for a claim. */
export interface Provisioned {
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: Pick<core.PersistentVolumeSpec, "accessModes" | "capacity" | "hostPath" | "local" | "nodeAffinity">;
}

/**
 * The plugin that deletes a volume: the one that provisioned it, or else the one for its kind; undefined if an external
 * provisioner deletes it.
 *
 * @throws Error if there is no plugin for it
 */
export function deleterOf(volume: Volume, plugins: readonly VolumePlugin[]): VolumePlugin | undefined {
  const provisioner = annotationOf(volume, provisionedBy);
  if (provisioner) {
    const plugin = plugins.find((one) => one.name === provisioner && one.delete !== undefined);
    if (plugin !== undefined) return plugin;
    if (!provisioner.startsWith("orchernetes.io/")) return undefined;
    throw new Error(`no volume plugin matched name: ${provisioner}`);
  }
  const plugin = plugins.find((one) => one.supports(volume));
  if (plugin?.delete !== undefined) return plugin;
  const why = plugin === undefined ? "no volume plugin matched" : "no deletable volume plugin matched";
  throw new Error(`error getting deleter volume plugin for volume "${volume.metadata.name}": ${why}`);
}
