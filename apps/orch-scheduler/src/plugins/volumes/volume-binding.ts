import type { core } from "@orchernetes/api";
import { type Claim, classNameOf, requestOf } from "@orchernetes/component-helpers";
import type { NodeTable } from "../../cache/node-table.ts";
import { PRESENT } from "../../cache/node-table.ts";
import { stateKey } from "../../framework/cycle-state.ts";
import {
  ClusterEvent,
  type FilterPlugin,
  lasting,
  type NodeFilter,
  neverOutdated,
  type PreBindPlugin,
  type PreFilterPlugin,
  type ReservePlugin,
  type ScorePlugin,
} from "../../framework/interfaces.ts";
import type { Shortfall } from "../../framework/shortfall.ts";
import { placeClaims } from "../../volumes/place-claims.ts";
import { type PodClaims, sortClaims } from "../../volumes/pod-claims.ts";
import type { Reservation, ReserveVolumes } from "../../volumes/reserve-volumes.ts";
import { compileAccess } from "../../volumes/volume-access.ts";
import type { Volumes } from "../../volumes/volumes.ts";
import type { ShapePoint } from "../broken-linear-function.ts";
import { selectorShortfalls } from "../node-affinity-shortfalls.ts";
import { volumeCapacityScore } from "./volume-capacity-score.ts";
import { volumesHint } from "./volume-hints.ts";

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

/**
 * By slot: 0 if all volumes are accessible, or the index of a reason plus one. As in the original, the first volume that
 * does not exist or is not accessible decides. Undefined if all are accessible from every node.
 */
function boundVerdicts(bound: readonly Claim[], cluster: Volumes, nodes: NodeTable): Uint8Array | undefined {
  const checks: ((node: core.Node) => number)[] = [];
  for (const { spec } of bound) {
    const volume = cluster.volume(spec.volumeName ?? "");
    const accessible = volume && compileAccess(volume, cluster);
    if (volume === undefined) checks.push(() => NO_SUCH_VOLUME);
    else if (accessible !== undefined) checks.push((node) => (accessible(node) ? 0 : NODE_CONFLICT));
  }
  if (checks.length === 0) return undefined;
  const result = new Uint8Array(nodes.length);
  for (let slot = 0; slot < nodes.length; slot++) {
    const node = nodes.nodeAt(slot);
    if (node === undefined || ((nodes.flags[slot] ?? 0) & PRESENT) === 0) continue;
    for (const check of checks) {
      result[slot] = check(node);
      if (result[slot] !== 0) break;
    }
  }
  return result;
}

function filterOf({ bound, delayed }: PodClaims, cluster: Volumes, nodes: NodeTable): NodeFilter | undefined {
  const verdicts = boundVerdicts(bound, cluster, nodes);
  if (verdicts === undefined && delayed.length === 0) return undefined;
  const place = delayed.length === 0 ? undefined : placeClaims(delayed, cluster);
  const placement = (slot: number): number => {
    const node = nodes.nodeAt(slot);
    if (place === undefined || node === undefined) return 0;
    const verdict = place(node);
    if (verdict === "noVolume") return NO_VOLUME;
    return verdict === "noSpace" ? NO_SPACE : 0;
  };
  const access = (slot: number): number => verdicts?.[slot] ?? 0;
  return {
    reasons,
    check: (slot) => access(slot) || placement(slot),
    checkAll: (slot) => [access(slot), placement(slot)].filter((verdict) => verdict !== 0),
    podChanged: "unaffected",
    readsAmountsOnly: true,
    shortfalls(slot) {
      const node = nodes.nodeAt(slot);
      const verdict = placement(slot);
      if (node === undefined) return [];
      return [
        ...bound.flatMap(({ spec }) => unreachableFrom(spec.volumeName ?? "", cluster, node)),
        ...(verdict === 0 ? [] : delayed.map((claim) => unplaced(claim, verdict === NO_SPACE))),
      ];
    },
  };
}

/** Why a volume is not accessible from a node; empty if it is. */
function unreachableFrom(name: string, cluster: Volumes, node: core.Node): readonly Shortfall[] {
  const what = `volume ${name}`;
  const volume = cluster.volume(name);
  if (volume === undefined) return [{ what, needed: "exists", available: "not found" }];
  const accessible = compileAccess(volume, cluster);
  if (accessible === undefined || accessible(node)) return [];
  const required = volume.spec.nodeAffinity?.required;
  const lacking = required === undefined ? [] : selectorShortfalls(required, node);
  if (lacking.length === 0) return [{ what, needed: "a node that its driver can reach it from", available: "" }];
  return lacking.map((one) => ({ ...one, what: `${what}: ${one.what}` }));
}

const unplaced = (claim: Claim, full: boolean): Shortfall => ({
  what: `claim ${claim.metadata.namespace}/${claim.metadata.name}`,
  needed: `a volume of ${requestOf(claim)} of class ${JSON.stringify(classNameOf(claim))}`,
  available: full ? "too little free storage" : "none, and none can be created",
});

const podClaims = stateKey<PodClaims>("VolumeBinding");
const reservation = stateKey<Reservation>("ReserveVolumeBinding");

/** The options of the plugin VolumeBinding. */
export interface VolumeBindingOptions {
  /** @default nothing is reserved */
  readonly reserveVolumes?: ReserveVolumes;
  /** For which a pod waits until its volumes are bound. @default 600000 */
  readonly bindTimeoutMs?: number;
  /** Scores nodes by the use of the volumes that would be bound there; without a shape, by the default one. @default no */
  readonly scoring?: { readonly shape?: readonly ShapePoint[] | undefined } | undefined;
}

/**
 * VolumeBinding: a pod fits only nodes from which the volumes bound to its claims are accessible, and on which its other
 * claims can be bound to volumes that exist or that can be created there. These are bound before the pod is.
 */
export function volumeBinding(
  cluster: Volumes,
  { reserveVolumes = () => undefined, bindTimeoutMs = 600_000, scoring }: VolumeBindingOptions = {},
): PreFilterPlugin & FilterPlugin & ScorePlugin & ReservePlugin & PreBindPlugin {
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
    hint: volumesHint,
    outdatedBy: neverOutdated,
    preFilter({ pod }, _, state) {
      const claims = sortClaims(pod, cluster);
      if (claims === undefined) return "skip";
      if ("rejected" in claims) return claims;
      state.set(podClaims, claims);
      return undefined;
    },
    filter({ pod }, nodes, state) {
      const claims = state.get(podClaims) ?? sortClaims(pod, cluster);
      return claims === undefined || "rejected" in claims ? claims : filterOf(claims, cluster, nodes);
    },
    score({ pod }, nodes, state) {
      if (scoring === undefined) return undefined;
      const claims = state.get(podClaims) ?? sortClaims(pod, cluster);
      if (claims === undefined || "rejected" in claims || claims.delayed.length === 0) return undefined;
      return volumeCapacityScore(claims.delayed, cluster, nodes, scoring.shape);
    },
    reserve(pod, node, state) {
      const made = reserveVolumes(pod, node, bindTimeoutMs);
      if (made !== undefined) state.set(reservation, made);
    },
    unreserve: (_, __, state) => state.get(reservation)?.unreserve(),
    preBind: (_, __, state, signal) => state.get(reservation)?.preBind(signal),
  };
}
