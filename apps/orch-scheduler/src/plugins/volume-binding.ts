import type { core, storage } from "@orchernetes/api";
import { compileNodeSelector } from "@orchernetes/component-helpers";
import type { NodeTable } from "../cache/node-table.ts";
import { PRESENT } from "../cache/node-table.ts";
import {
  ClusterEvent,
  type FilterPlugin,
  lasting,
  type NodeFilter,
  type PodRejection,
} from "../framework/interfaces.ts";

/** The claims, volumes and classes of the cluster. */
export interface Volumes {
  claim(namespace: string, name: string): core.PersistentVolumeClaim | undefined;
  volume(name: string): core.PersistentVolume | undefined;
  storageClass(name: string): storage.StorageClass | undefined;
}

const reasons = [
  lasting("node(s) had volume node affinity conflict"),
  lasting("node(s) didn't find available persistent volumes to bind"),
];

/** Names of the claims of a pod's volumes. The claim of an ephemeral volume is named after pod and volume. */
function claimNames({ metadata, spec }: core.Pod): readonly string[] {
  const names: string[] = [];
  for (const { name, persistentVolumeClaim, ephemeral } of spec.volumes ?? []) {
    if (persistentVolumeClaim) names.push(persistentVolumeClaim.claimName);
    else if (ephemeral) names.push(`${metadata.name}-${name}`);
  }
  return names;
}

/** By slot: 1 if all volumes are accessible from the node; undefined if they are from every node. */
function reachable(volumes: readonly core.PersistentVolume[], nodes: NodeTable): Uint8Array | undefined {
  const selectors = volumes.flatMap(({ spec: { nodeAffinity } }) =>
    nodeAffinity?.required === undefined ? [] : compileNodeSelector(nodeAffinity.required),
  );
  if (selectors.length === 0) return undefined;
  const result = new Uint8Array(nodes.length);
  for (let slot = 0; slot < nodes.length; slot++) {
    const node = nodes.nodeAt(slot);
    if (node === undefined || ((nodes.flags[slot] ?? 0) & PRESENT) === 0) continue;
    if (selectors.every((matches) => matches(node))) result[slot] = 1;
  }
  return result;
}

/**
 * Filter VolumeBinding: a pod fits only nodes from which the volumes bound to its claims are accessible. Claims must be
 * bound. One that waits for its first consumer is not bound by this scheduler, and is rejected on every node.
 */
export function volumeBinding(cluster: Volumes): FilterPlugin {
  const judge = (pod: core.Pod, nodes: NodeTable, names: readonly string[]): NodeFilter | PodRejection | undefined => {
    const volumes: core.PersistentVolume[] = [];
    let waiting = false;
    for (const name of names) {
      const claim = cluster.claim(pod.metadata.namespace ?? "", name);
      if (claim === undefined) return { rejected: `persistentvolumeclaim "${name}" not found` };
      if (claim.metadata.deletionTimestamp) return { rejected: `persistentvolumeclaim "${name}" is being deleted` };
      const { volumeName, storageClassName = "" } = claim.spec;
      if (volumeName) {
        if (claim.status.phase === "Lost")
          return { rejected: `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${volumeName}"` };
        const volume = cluster.volume(volumeName);
        if (volume === undefined) return { rejected: `persistentvolume "${volumeName}" not found` };
        volumes.push(volume);
      } else if (cluster.storageClass(storageClassName)?.volumeBindingMode === "WaitForFirstConsumer") waiting = true;
      else return { rejected: "pod has unbound immediate PersistentVolumeClaims" };
    }
    const reached = reachable(volumes, nodes);
    if (reached === undefined && !waiting) return undefined;
    const otherwise = waiting ? 2 : 0;
    return { reasons, check: (slot) => (reached !== undefined && reached[slot] !== 1 ? 1 : otherwise) };
  };
  return {
    name: "VolumeBinding",
    events: ClusterEvent.Volume | ClusterEvent.NodeAdded | ClusterEvent.NodeLabels,
    prepare({ pod }, nodes) {
      if (pod.spec.volumes === undefined) return undefined;
      const names = claimNames(pod);
      return names.length === 0 ? undefined : judge(pod, nodes, names);
    },
  };
}
