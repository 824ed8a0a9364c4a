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

/** Returns which nodes are eligible for a constraint, by its policies. */
export type Eligible = (constraint: Constraint) => (slot: number) => boolean;

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
  const { flags, length } = nodes;
  const inAll = (slot: number): boolean => topologies.every(({ domains }) => (domains[slot] ?? 0) !== 0);
  return constraints.map((constraint, c) => {
    const { domains, count } = topologies[c] ?? nodes.topology(constraint.topologyKey);
    const { counts: perNode } = nodes.countPods(constraint.query);
    const counts = new Float64Array(count).fill(-1);
    const isEligible = eligible(constraint);
    const isCounted = (slot: number): boolean =>
      (domains[slot] ?? 0) !== 0 &&
      ((flags[slot] ?? 0) & PRESENT) !== 0 &&
      isEligible(slot) &&
      (!needAll || topologies.length === 1 || inAll(slot));
    for (let slot = 0; slot < length; slot++) {
      if (!isCounted(slot)) continue;
      const domain = domains[slot] ?? 0;
      counts[domain] = Math.max(counts[domain] ?? 0, 0) + (perNode[slot] ?? 0);
    }
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
