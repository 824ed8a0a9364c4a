import type { core, storage } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import {
  driverOfPlugin,
  type InlineVolume,
  isMigratedOn,
  migratedFieldOf,
  translateInlineVolume,
  translateVolume,
  type Volume,
} from "@orchernetes/component-helpers";
import { claimKeysOf } from "../../shared/pod-claims.ts";
import { csiVolumeOf, uniqueVolumeName } from "./names.ts";

/** A volume that is inline in pods, with the key that it has in the queue. */
export interface KeyedInline {
  /** Its unique name: it has a slash, so it is no name of a PersistentVolume. */
  readonly key: string;
  readonly volume: InlineVolume;
}

/**
 * The volumes of a pod whose in-tree kinds were migrated to CSI drivers. One that the driver cannot have is left out: the
 * node's agent reports why it cannot be mounted.
 */
export function inlineVolumesOf(pod: Stored<core.Pod>): readonly KeyedInline[] {
  const found: KeyedInline[] = [];
  for (const one of pod.spec.volumes ?? []) {
    if (migratedFieldOf(one) === undefined) continue;
    const volume = attempt(() => translateInlineVolume(one, pod.metadata.namespace ?? ""));
    const csi = volume && csiVolumeOf(volume.spec);
    if (volume !== undefined && csi !== undefined) found.push({ key: uniqueVolumeName(csi), volume });
  }
  return found;
}

/** A persistent volume in its driver's form; undefined if its driver cannot have it. */
export const translatedVolume = (volume: Volume): Volume | undefined => attempt(() => translateVolume(volume));

function attempt<T>(translate: () => T): T | undefined {
  try {
    return translate();
  } catch {
    return undefined;
  }
}

/** Index of pods by the volumes that stand in them. */
export const inlineIndex = "inlineVolume";
/** Index of the pods with volumes that may be attached, by node. */
export const consumerIndex = "volumeConsumersOfNode";

/** Whether a pod has volumes that may have to be attached. */
const mayAttach = (pod: Stored<core.Pod>): boolean =>
  claimKeysOf(pod).length > 0 || pod.spec.volumes?.some((one) => migratedFieldOf(one) !== undefined) === true;

/** The indexers of {@link inlineIndex} and {@link consumerIndex}. */
export const volumeIndexers = {
  [inlineIndex]: (pod: Stored<core.Pod>) => inlineVolumesOf(pod).map(({ key }) => key),
  [consumerIndex]: (pod: Stored<core.Pod>) => (pod.spec.nodeName && mayAttach(pod) ? pod.spec.nodeName : undefined),
};

/**
 * Whether the controller attaches volumes of an in-tree plugin on a node: its agent leaves them to the driver, and the
 * driver runs there.
 */
export function isAttachedByDriver(csiNode: storage.CSINode | undefined, plugin: string): boolean {
  const driver = driverOfPlugin(plugin);
  return isMigratedOn(csiNode, plugin) && csiNode?.spec.drivers.some(({ name }) => name === driver) === true;
}
