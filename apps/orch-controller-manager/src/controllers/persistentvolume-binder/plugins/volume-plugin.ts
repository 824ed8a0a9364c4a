import type { core } from "@orchernetes/api";
import type { NewPod } from "@orchernetes/controller";
import {
  annotationOf,
  type Claim,
  provisionedBy,
  type StorageClass,
  type Volume,
} from "../binding/volumes-and-claims.ts";

/** What a kind of volume can have done to it by this program. */
export interface VolumePlugin {
  /** Such as `orchernetes.io/host-path`. */
  readonly name: string;
  /** Whether a volume is of this kind. */
  supports(volume: Volume): boolean;
  /** Destroys what the volume stands for; the volume itself is left to the caller. Idempotent. */
  readonly delete?: (volume: Volume) => Promise<void>;
  /** A pod that empties the volume and then ends. */
  readonly recyclerPod?: (volume: Volume) => NewPod;
  /** Makes what a volume for the claim will stand for. */
  readonly provision?: (claim: Claim, storageClass: StorageClass) => Promise<Provisioned>;
}

/** Something new for a volume to stand for. */
export interface Provisioned {
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: Pick<core.PersistentVolumeSpec, "accessModes" | "capacity" | "hostPath">;
}

/**
 * The plugin that deletes a volume: of the name that provisioned it, else of its kind; undefined when somebody outside does.
 * @throws Error when nobody does
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
