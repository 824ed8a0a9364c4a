import { type NodeTable, PRESENT } from "../../cache/node-table.ts";
import type { Constraint } from "./constraints.ts";

/** The domains of one constraint, with the number of pods in them. */
export interface Domains {
  readonly constraint: Constraint;
  /** By slot: the node's domain, 0 for none. */
  readonly domains: Int32Array;
  /** By domain: matching pods on eligible nodes. */
  readonly counts: Float64Array;
  /** By slot: matching pods on the node. */
  readonly perNode: Int32Array;
  /** Number of pods in the domain with the fewest; 0 if there are fewer domains than `minDomains`. */
  readonly least: number;
  /** Whether the pods of a node count in its domain. */
  readonly isCounted: (slot: number) => boolean;
  /** What {@link Domains.least} would be without the pods of a domain: the number of the fewest in another one. */
  readonly leastWithout: (domain: number) => number;
}

/** Returns which nodes are eligible for a constraint, by its policies; undefined: all. */
export type Eligible = (constraint: Constraint) => ((slot: number) => boolean) | undefined;

/** Pods in each domain, where the pods of all nodes count. A domain has nodes, apart from 0, which is none. */
function countEverywhere(domains: Int32Array, perNode: Int32Array, count: number): Float64Array {
  const counts = new Float64Array(count);
  for (let slot = 0; slot < domains.length; slot++) {
    const domain = domains[slot] ?? 0;
    counts[domain] = (counts[domain] ?? 0) + (perNode[slot] ?? 0);
  }
  counts[0] = -1;
  return counts;
}

/** Pods in each domain, on the nodes that count; -1 for a domain without such a node. */
function countSome(
  domains: Int32Array,
  perNode: Int32Array,
  count: number,
  isCounted: (slot: number) => boolean,
): Float64Array {
  const counts = new Float64Array(count).fill(-1);
  for (let slot = 0; slot < domains.length; slot++) {
    if (!isCounted(slot)) continue;
    const domain = domains[slot] ?? 0;
    counts[domain] = Math.max(counts[domain] ?? 0, 0) + (perNode[slot] ?? 0);
  }
  return counts;
}

/**
 * Counts the pods to spread per domain, in one pass over the nodes for each constraint.
 *
 * @param needAll whether only nodes with the topology keys of all constraints are eligible
 */
export function domainsOf(
  constraints: readonly Constraint[],
  nodes: NodeTable,
  eligible: Eligible,
  needAll: boolean,
): readonly Domains[] {
  const topologies = constraints.map(({ topologyKey }) => nodes.topology(topologyKey));
  const { flags } = nodes;
  const inAll = (slot: number): boolean => topologies.every(({ domains }) => (domains[slot] ?? 0) !== 0);
  return constraints.map((constraint, c) => {
    const { domains, count } = topologies[c] ?? nodes.topology(constraint.topologyKey);
    const { counts: perNode } = nodes.countPods(constraint.query);
    const isEligible = eligible(constraint);
    const needsOthers = needAll && topologies.length > 1;
    const isCounted = (slot: number): boolean =>
      (domains[slot] ?? 0) !== 0 &&
      ((flags[slot] ?? 0) & PRESENT) !== 0 &&
      (isEligible === undefined || isEligible(slot)) &&
      (!needsOthers || inAll(slot));
    const everywhere = isEligible === undefined && !needsOthers;
    const counts = everywhere
      ? countEverywhere(domains, perNode, count)
      : countSome(domains, perNode, count, isCounted);
    let least = Number.POSITIVE_INFINITY;
    let leastAt = 0;
    let second = Number.POSITIVE_INFINITY;
    let present = 0;
    for (let domain = 1; domain < counts.length; domain++) {
      const inDomain = counts[domain] ?? -1;
      if (inDomain < 0) continue;
      present++;
      if (inDomain < least) [least, leastAt, second] = [inDomain, domain, least];
      else if (inDomain < second) second = inDomain;
    }
    const isZero = present === 0 || present < constraint.minDomains;
    if (isZero) least = 0;
    const leastWithout = (domain: number): number => (isZero ? 0 : domain === leastAt ? second : least);
    // A domain without an eligible node has no pods.
    for (let domain = 0; domain < counts.length; domain++) if ((counts[domain] ?? 0) < 0) counts[domain] = 0;
    return { constraint, domains, counts, perNode, least, isCounted, leastWithout };
  });
}
