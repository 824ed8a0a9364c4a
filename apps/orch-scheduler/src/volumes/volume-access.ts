import {
  compileVolumeAffinity,
  isMigratedOn,
  migratedPluginOf,
  type NodePredicate,
  translateVolume,
  type Volume,
} from "@orchernetes/component-helpers";
import type { Volumes } from "./volumes.ts";

/**
 * The nodes from which a bound volume is accessible; undefined if it is from every node. The affinity of an in-tree kind
 * is that of its CSI driver, in the labels that the driver sets, on nodes whose agents leave the kind to the driver.
 */
export function compileAccess(volume: Volume, cluster: Pick<Volumes, "csiNode">): NodePredicate | undefined {
  const own = compileVolumeAffinity(volume);
  const migrated = migratedPluginOf(volume.spec);
  if (migrated === undefined) return own;
  const ofDriver = driverAffinity(volume);
  if (own === undefined && ofDriver === undefined) return undefined;
  return (node) => {
    const affinity = isMigratedOn(cluster.csiNode(node.metadata.name ?? ""), migrated.plugin) ? ofDriver : own;
    return affinity === undefined || affinity(node);
  };
}

/** The affinity of the volume as its driver knows it. A volume that the driver cannot have is accessible from no node. */
function driverAffinity(volume: Volume): NodePredicate | undefined {
  try {
    return compileVolumeAffinity(translateVolume(volume));
  } catch {
    return () => false;
  }
}
