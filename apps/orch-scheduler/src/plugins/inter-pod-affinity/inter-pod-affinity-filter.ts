import { type AffinityTerm, requiredTerms } from "../../cache/affinity-term.ts";
import { isTooMuch, sumOfSteps } from "../../cache/matching-cost.ts";
import type { NodeTable } from "../../cache/node-table.ts";
import type { PodInfo } from "../../cache/pod-info.ts";
import { stateKey } from "../../framework/cycle-state.ts";
import {
  ClusterEvent,
  evictable,
  type FilterPlugin,
  lasting,
  type NodeFilter,
  type PodRejection,
  type PreFilterPlugin,
} from "../../framework/interfaces.ts";
import type { Shortfall } from "../../framework/shortfall.ts";
import { labelText, NO_LABEL } from "../../framework/shortfall.ts";
import { interPodAffinityHint } from "./inter-pod-affinity-hint.ts";
import { allTermsQuery, type Namespaces, termSelects } from "./term-matching.ts";

const reasons = [
  lasting("node(s) didn't match pod affinity rules"),
  evictable("node(s) didn't match pod anti-affinity rules"),
  evictable("node(s) didn't satisfy existing pods anti-affinity rules"),
];

/**
 * Numbers of pods per domain of a topology key. `domains` maps a node's slot to its domain; domain 0 holds the nodes
 * without the label.
 */
interface DomainCounts {
  readonly term: AffinityTerm;
  readonly domains: Int32Array;
  readonly counts: Float64Array;
}

/**
 * Sums numbers of pods per node up to numbers per domain. Domain 0 is set to 0: nodes without the label are not near
 * each other.
 */
function byDomain(nodes: NodeTable, term: AffinityTerm, perSlot: Iterable<readonly [number, number]>): DomainCounts {
  const { domains, count } = nodes.topology(term.topologyKey);
  const counts = new Float64Array(count);
  for (const [slot, pods] of perSlot) {
    const domain = domains[slot] ?? 0;
    counts[domain] = (counts[domain] ?? 0) + pods;
  }
  counts[0] = 0;
  return { term, domains, counts };
}

/** For each term, the number of pods in each domain that all of `selecting` select. */
function domainsOf(
  terms: readonly AffinityTerm[],
  selecting: readonly AffinityTerm[],
  nodes: NodeTable,
  namespaces: Namespaces,
): readonly DomainCounts[] {
  const { counts, total } = nodes.countPods(allTermsQuery(selecting, namespaces));
  const perSlot: [number, number][] = [];
  if (total > 0)
    for (let slot = 0; slot < nodes.length; slot++) if (counts[slot]) perSlot.push([slot, counts[slot] ?? 0]);
  return terms.map((term) => byDomain(nodes, term, perSlot));
}

const holdsSome = (slot: number, { domains, counts }: DomainCounts): boolean => (counts[domains[slot] ?? 0] ?? 0) > 0;

/**
 * Returns the domains in which the anti-affinity of existing pods forbids the incoming pod. Most clusters have no such
 * terms, which is found out without visiting nodes.
 */
function forbidden(pod: PodInfo, nodes: NodeTable, namespaces: Namespaces): readonly DomainCounts[] {
  if (!nodes.terms.has("requiredAntiAffinity")) return [];
  const found: DomainCounts[] = [];
  for (const { term, counts } of nodes.terms.groups("requiredAntiAffinity"))
    if (termSelects(term, pod, namespaces)) found.push(byDomain(nodes, term, counts));
  return found;
}

/** The pods that a term selects, and the domain of a node, as text. */
const domainText = ({ term }: DomainCounts, slot: number, nodes: NodeTable): string =>
  `in ${term.topologyKey} ${labelText(nodes.nodeAt(slot)?.metadata.labels, term.topologyKey)}`;

function companyShortfall(one: DomainCounts, slot: number, nodes: NodeTable): Shortfall {
  const { topologyKey, selector } = one.term;
  if ((one.domains[slot] ?? 0) === 0) return { what: `label ${topologyKey}`, needed: "any value", available: NO_LABEL };
  const what = `pods with ${selector.toString()} ${domainText(one, slot, nodes)}`;
  return { what, needed: "at least 1", available: "0" };
}

function crowdShortfall(one: DomainCounts, slot: number, nodes: NodeTable, pods: string): Shortfall {
  const count = one.counts[one.domains[slot] ?? 0] ?? 0;
  return {
    what: `${pods} (${one.term.selector.toString()}) ${domainText(one, slot, nodes)}`,
    needed: "0",
    available: String(count),
  };
}

/** Counts pods of a node in its domain. Returns by how much the number has changed: 0 for a node in none. */
function bump({ domains, counts }: DomainCounts, slot: number, added: number): number {
  const domain = domains[slot] ?? 0;
  if (domain === 0) return 0;
  counts[domain] = (counts[domain] ?? 0) + added;
  return added;
}

/** The counts of pods in the domains that concern a pod, as a check; undefined if none do. */
const prepared = stateKey<NodeFilter>("InterPodAffinity");

function filterOf(pod: PodInfo, nodes: NodeTable, namespaces: Namespaces): NodeFilter | PodRejection | undefined {
  const own = requiredTerms(pod.terms ?? []);
  if (isTooMuch(sumOfSteps(own), nodes))
    return { rejected: `pod has too many terms of affinity, or too long ones, for this cluster: ${own.length}` };
  const blocked = forbidden(pod, nodes, namespaces);
  const wanted = own.filter(({ kind }) => kind === "requiredAffinity");
  const unwanted = own.filter(({ kind }) => kind === "requiredAntiAffinity");
  if (blocked.length === 0 && wanted.length === 0 && unwanted.length === 0) return undefined;
  const company = wanted.length === 0 ? undefined : domainsOf(wanted, wanted, nodes, namespaces);
  // The first pod of a group must be schedulable. Pods on nodes without the label are in no domain, and are ignored.
  let companions = 0;
  for (const { counts } of company ?? []) for (const count of counts) companions += count;
  const isOwn = company !== undefined && wanted.every((term) => termSelects(term, pod, namespaces));
  let first = isOwn && companions === 0;
  const avoided = unwanted.flatMap((term) => domainsOf([term], [term], nodes, namespaces));
  const count = (slot: number, info: PodInfo, added: number): void => {
    if (company !== undefined && wanted.every((term) => termSelects(term, info, namespaces))) {
      for (const one of company) companions += bump(one, slot, added);
      first = isOwn && companions === 0;
    }
    for (const one of avoided) if (termSelects(one.term, info, namespaces)) bump(one, slot, added);
    for (const one of blocked) for (const { key } of info.terms ?? []) if (key === one.term.key) bump(one, slot, added);
  };
  return {
    reasons,
    check(slot) {
      if (company !== undefined)
        for (const one of company) if ((one.domains[slot] ?? 0) === 0 || (!first && !holdsSome(slot, one))) return 1;
      for (const one of avoided) if (holdsSome(slot, one)) return 2;
      for (const one of blocked) if (holdsSome(slot, one)) return 3;
      return 0;
    },
    readsAmountsOnly: true,
    podChanged: count,
    podsChanged: count,
    shortfalls: (slot) => [
      ...(company ?? [])
        .filter((one) => (one.domains[slot] ?? 0) === 0 || (!first && !holdsSome(slot, one)))
        .map((one) => companyShortfall(one, slot, nodes)),
      ...avoided
        .filter((one) => holdsSome(slot, one))
        .map((one) => crowdShortfall(one, slot, nodes, "pods that its anti-affinity selects")),
      ...blocked
        .filter((one) => holdsSome(slot, one))
        .map((one) => crowdShortfall(one, slot, nodes, "pods whose anti-affinity selects it")),
    ],
  };
}

/**
 * Filter InterPodAffinity: required affinity and anti-affinity of the pod, and required anti-affinity of existing pods,
 * which is symmetric: a pod that wants no other near it must not get one later. The first pod of a group with affinity
 * to itself may go anywhere.
 */
export function interPodAffinityFilter(namespaces: Namespaces): PreFilterPlugin & FilterPlugin {
  return {
    name: "InterPodAffinity",
    events:
      ClusterEvent.NodeAdded |
      ClusterEvent.NodeDeleted |
      ClusterEvent.NodeLabels |
      ClusterEvent.PodAdded |
      ClusterEvent.PodDeleted |
      ClusterEvent.Namespace,
    hint: interPodAffinityHint(namespaces),
    // Its terms may be new.
    outdatedBy: (_, { terms }) => terms !== undefined,
    preFilter(pod, nodes, state) {
      const filter = filterOf(pod, nodes, namespaces);
      if (filter === undefined) return "skip";
      if ("rejected" in filter) return filter;
      state.set(prepared, filter);
      return undefined;
    },
    filter: (pod, nodes, state) => state.get(prepared) ?? filterOf(pod, nodes, namespaces),
  };
}
