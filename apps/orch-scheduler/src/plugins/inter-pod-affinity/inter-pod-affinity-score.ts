import type { AffinityTerm, TermKind } from "../../cache/affinity-term.ts";
import { isTooMuch, sumOfSteps } from "../../cache/matching-cost.ts";
import type { NodeTable } from "../../cache/node-table.ts";
import type { PodInfo } from "../../cache/pod-info.ts";
import type { TermGroup } from "../../cache/term-counts.ts";
import { stateKey } from "../../framework/cycle-state.ts";
import { MAX_SCORE, type PreScorePlugin, type ScorePlugin } from "../../framework/interfaces.ts";
import { allTermsQuery, type Namespaces, termSelects } from "./term-matching.ts";

/** Arguments of the plugin InterPodAffinity that weigh the terms of existing pods. */
export interface InterPodAffinityWeights {
  /**
   * Weight of a required affinity term of an existing pod that selects the incoming pod, from 0 to 100. 0 ignores such
   * terms.
   */
  readonly hardPodAffinityWeight: number;
  /** Whether preferences of existing pods are ignored for a pod without its own preferences. */
  readonly ignorePreferredTermsOfExistingPods: boolean;
}

const PREFERRED: ReadonlySet<TermKind> = new Set(["preferredAffinity", "preferredAntiAffinity"]);

/** Sums of weights by topology key and domain. */
class DomainSums {
  readonly #nodes: NodeTable;
  readonly #sums = new Map<string, { readonly domains: Int32Array; readonly sums: Float64Array }>();

  constructor(nodes: NodeTable) {
    this.#nodes = nodes;
  }

  get empty(): boolean {
    return this.#sums.size === 0;
  }

  add(topologyKey: string, slot: number, weight: number): void {
    let entry = this.#sums.get(topologyKey);
    if (entry === undefined) {
      const { domains, count } = this.#nodes.topology(topologyKey);
      entry = { domains, sums: new Float64Array(count) };
      this.#sums.set(topologyKey, entry);
    }
    const domain = entry.domains[slot] ?? 0;
    if (domain !== 0) entry.sums[domain] = (entry.sums[domain] ?? 0) + weight;
  }

  of(slot: number): number {
    let sum = 0;
    for (const { domains, sums } of this.#sums.values()) sum += sums[domains[slot] ?? 0] ?? 0;
    return sum;
  }
}

/**
 * Adds the preferences of the incoming pod: the weight of a term, once for each existing pod that it selects. The cost
 * grows with the number of nodes.
 */
function addOwn(sums: DomainSums, term: AffinityTerm, nodes: NodeTable, namespaces: Namespaces): void {
  const sign = term.kind === "preferredAffinity" ? 1 : -1;
  const { counts, total } = nodes.countPods(allTermsQuery([term], namespaces));
  if (total === 0) return;
  for (let slot = 0; slot < nodes.length; slot++)
    if (counts[slot]) sums.add(term.topologyKey, slot, sign * term.weight * (counts[slot] ?? 0));
}

/**
 * Adds the terms of existing pods that select the incoming pod. Equal terms are grouped, so the cost depends on the
 * number of distinct terms, not on the number of pods.
 */
function addOthers(
  sums: DomainSums,
  groups: Iterable<TermGroup>,
  weightOf: (term: AffinityTerm) => number,
  pod: PodInfo,
  namespaces: Namespaces,
): void {
  for (const { term, counts } of groups) {
    if (!termSelects(term, pod, namespaces)) continue;
    for (const [slot, count] of counts) sums.add(term.topologyKey, slot, weightOf(term) * count);
  }
}

/** The sums of weights that concern a pod. */
const domainSums = stateKey<DomainSums>("PreScoreInterPodAffinity");

/**
 * Sums may be negative, so they are scaled from [least, most] to [0, MAX_SCORE]. If all are equal, no node is preferred.
 */
function normalize(scores: Float64Array): void {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < scores.length; i++) {
    least = Math.min(least, scores[i] ?? 0);
    most = Math.max(most, scores[i] ?? 0);
  }
  const range = most - least;
  for (let i = 0; i < scores.length; i++)
    scores[i] = range > 0 ? Math.floor(MAX_SCORE * (((scores[i] ?? 0) - least) / range)) : 0;
}

/** Score InterPodAffinity: preferred affinity and anti-affinity of the pod and of existing pods. */
export function interPodAffinityScore(
  namespaces: Namespaces,
  { hardPodAffinityWeight, ignorePreferredTermsOfExistingPods }: InterPodAffinityWeights,
): PreScorePlugin & ScorePlugin {
  const sumsFor = (pod: PodInfo, nodes: NodeTable): DomainSums | undefined => {
    const preferred = (pod.terms ?? []).filter(({ kind }) => PREFERRED.has(kind));
    if (ignorePreferredTermsOfExistingPods && preferred.length === 0) return undefined;
    const sums = new DomainSums(nodes);
    // A preference that cannot be afforded does not keep the pod from being scheduled.
    if (!isTooMuch(sumOfSteps(preferred), nodes)) for (const term of preferred) addOwn(sums, term, nodes, namespaces);
    const { terms } = nodes;
    if (hardPodAffinityWeight > 0)
      addOthers(sums, terms.groups("requiredAffinity"), () => hardPodAffinityWeight, pod, namespaces);
    addOthers(sums, terms.groups("preferredAffinity"), ({ weight }) => weight, pod, namespaces);
    addOthers(sums, terms.groups("preferredAntiAffinity"), ({ weight }) => -weight, pod, namespaces);
    return sums.empty ? undefined : sums;
  };
  return {
    name: "InterPodAffinity",
    preScore(pod, nodes, state) {
      const sums = sumsFor(pod, nodes);
      if (sums === undefined) return "skip";
      state.set(domainSums, sums);
      return undefined;
    },
    score(pod, nodes, state) {
      const sums = state.get(domainSums) ?? sumsFor(pod, nodes);
      if (sums === undefined) return undefined;
      return (slots, scores) => {
        for (let i = 0; i < slots.length; i++) scores[i] = sums.of(slots[i] ?? 0);
      };
    },
    normalizeScore: normalize,
  };
}
