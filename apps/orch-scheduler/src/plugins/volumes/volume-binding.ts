import type { core } from "@orchernetes/api";
import { type Claim, classNameOf, type NodePredicate, requestOf, type Volume } from "@orchernetes/component-helpers";
import type { NodeTable } from "../../cache/node-table.ts";
import { PRESENT } from "../../cache/node-table.ts";
import { ClusterEvent, type FilterPlugin, lasting, type NodeFilter } from "../../framework/interfaces.ts";
import type { Shortfall } from "../../framework/shortfall.ts";
import { placeClaims } from "../../volumes/place-claims.ts";
import { type PodClaims, sortClaims } from "../../volumes/pod-claims.ts";
import { compileAccess } from "../../volumes/volume-access.ts";
import type { Volumes } from "../../volumes/volumes.ts";
import { selectorShortfalls } from "../node-affinity-shortfalls.ts";

const NODE_CONFLICT = 1;
const NO_VOLUME = 2;
const NO_SPACE = 3;
const NO_SUCH_VOLUME = 4;
const reasons = [
  lasting("node(s) had volume node affinity conflict"),
  lasting("node(s) didn't find available persistent volumes to bind"),
  lasting("node(s) did not have enough free storage"),
  lasting("node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"),
];

/** By slot: 1 if all volumes are accessible from the node; undefined if they are from every node. */
function reachable(volumes: readonly Volume[], cluster: Volumes, nodes: NodeTable): Uint8Array | undefined {
  const predicates = volumes
    .map((volume) => compileAccess(volume, cluster))
    .filter((one): one is NodePredicate => one !== undefined);
  if (predicates.length === 0) return undefined;
  const result = new Uint8Array(nodes.length);
  for (let slot = 0; slot < nodes.length; slot++) {
    const node = nodes.nodeAt(slot);
    if (node === undefined || ((nodes.flags[slot] ?? 0) & PRESENT) === 0) continue;
    if (predicates.every((matches) => matches(node))) result[slot] = 1;
  }
  return result;
}

function filterOf({ bound, delayed }: PodClaims, cluster: Volumes, nodes: NodeTable): NodeFilter | undefined {
  const volumes = bound.map(({ spec }: Claim) => cluster.volume(spec.volumeName ?? ""));
  const known = volumes.filter((volume) => volume !== undefined);
  const reached = reachable(known, cluster, nodes);
  const missing = known.length < volumes.length;
  if (reached === undefined && delayed.length === 0 && !missing) return undefined;
  const place = delayed.length === 0 ? undefined : placeClaims(delayed, cluster);
  const placement = (slot: number): number => {
    const node = nodes.nodeAt(slot);
    if (place === undefined || node === undefined) return 0;
    const verdict = place(node);
    if (verdict === "noVolume") return NO_VOLUME;
    return verdict === "noSpace" ? NO_SPACE : 0;
  };
  const conflict = (slot: number): number => (reached !== undefined && reached[slot] !== 1 ? NODE_CONFLICT : 0);
  const absent = missing ? NO_SUCH_VOLUME : 0;
  return {
    reasons,
    check: (slot) => conflict(slot) || placement(slot) || absent,
    checkAll: (slot) => [conflict(slot), placement(slot), absent].filter((verdict) => verdict !== 0),
    shortfalls(slot) {
      const node = nodes.nodeAt(slot);
      if (node === undefined) return [];
      const far = known.flatMap((volume) => unreachableFrom(volume, cluster, node));
      const gone = missing ? bound.filter(({ spec }) => cluster.volume(spec.volumeName ?? "") === undefined) : [];
      const verdict = placement(slot);
      return [
        ...far,
        ...(verdict === 0 ? [] : delayed.map((claim) => unplaced(claim, verdict === NO_SPACE))),
        ...gone.map(({ spec }) => ({ what: `volume ${spec.volumeName}`, needed: "exists", available: "not found" })),
      ];
    },
  };
}

/** Why a volume is not accessible from a node; empty if it is. */
function unreachableFrom(volume: Volume, cluster: Volumes, node: core.Node): readonly Shortfall[] {
  const accessible = compileAccess(volume, cluster);
  if (accessible === undefined || accessible(node)) return [];
  const required = volume.spec.nodeAffinity?.required;
  const lacking = required === undefined ? [] : selectorShortfalls(required, node);
  const what = `volume ${volume.metadata.name}`;
  if (lacking.length === 0) return [{ what, needed: "a node that its driver can reach it from", available: "" }];
  return lacking.map((one) => ({ ...one, what: `${what}: ${one.what}` }));
}

const unplaced = (claim: Claim, full: boolean): Shortfall => ({
  what: `claim ${claim.metadata.namespace}/${claim.metadata.name}`,
  needed: `a volume of ${requestOf(claim)} of class ${JSON.stringify(classNameOf(claim))}`,
  available: full ? "too little free storage" : "none, and none can be created",
});

/**
 * Filter VolumeBinding: a pod fits only nodes from which the volumes bound to its claims are accessible, and on which
 * its other claims can be bound to volumes that exist or that can be created there.
 */
export function volumeBinding(cluster: Volumes): FilterPlugin {
  return {
    name: "VolumeBinding",
    events:
      ClusterEvent.Claim |
      ClusterEvent.PersistentVolume |
      ClusterEvent.StorageClass |
      ClusterEvent.CsiNode |
      ClusterEvent.CsiDriver |
      ClusterEvent.CsiStorageCapacity |
      ClusterEvent.NodeAdded |
      ClusterEvent.NodeLabels,
    prepare({ pod }, nodes) {
      const claims = sortClaims(pod, cluster);
      return claims === undefined || "rejected" in claims ? claims : filterOf(claims, cluster, nodes);
    },
  };
}
