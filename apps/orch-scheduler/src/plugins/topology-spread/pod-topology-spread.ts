import type { Selector } from "@orchernetes/apimachinery";
import { repellingEffects, untoleratedTaints } from "@orchernetes/component-helpers";
import { isTooMuch, sumOfSteps } from "../../cache/matching-cost.ts";
import type { NodeTable } from "../../cache/node-table.ts";
import type { PodClass } from "../../cache/pod-class.ts";
import type { PodQuery } from "../../cache/pod-counts.ts";
import type { PodInfo } from "../../cache/pod-info.ts";
import { stateKey } from "../../framework/cycle-state.ts";
import {
  ClusterEvent,
  evictable,
  type FilterPlugin,
  lasting,
  MAX_SCORE,
  type NodeScore,
  neverOutdated,
  type PodRejection,
  type PreFilterPlugin,
  type PreScorePlugin,
  type ScorePlugin,
} from "../../framework/interfaces.ts";
import { labelText, NO_LABEL, type Shortfall } from "../../framework/shortfall.ts";
import type { NodeMatches } from "../node-matches.ts";
import {
  allFeatures,
  type Constraint,
  type ConstraintFeatures,
  type DefaultConstraint,
  defaultedConstraints,
  ownConstraints,
} from "./constraints.ts";
import { type Domains, domainsOf, type Eligible } from "./domains.ts";
import { podTopologySpreadHint } from "./pod-topology-spread-hint.ts";

/** The options of the plugin PodTopologySpread. */
export interface TopologySpreadOptions {
  /** Constraints for pods without their own. */
  readonly defaults: readonly DefaultConstraint[];
  /** Whether nodes without some of the topology keys may still be scored, when the constraints are the defaults. */
  readonly lenientDefaults: boolean;
  /** Selector of the pods of a pod's services and controller; undefined if there are none. */
  readonly selectorOf: (pod: PodInfo) => Selector | undefined;
  readonly nodeMatches: NodeMatches;
  /** @default every field of constraints has an effect */
  readonly features?: ConstraintFeatures;
}

const reasons = [
  lasting("node(s) didn't match pod topology spread constraints (missing required label)"),
  evictable("node(s) didn't match pod topology spread constraints"),
];

/** Returns which nodes are eligible for a constraint. */
function eligibility(pod: PodInfo, nodes: NodeTable, nodeMatches: NodeMatches): Eligible {
  const { spec } = pod.pod;
  let tolerated: Uint8Array | undefined;
  const toleratedSets = () => {
    const sets = Uint8Array.from({ length: nodes.taintSets.length }, (_, set) =>
      untoleratedTaints(nodes.taintSets.taints(set), spec.tolerations, repellingEffects).length === 0 ? 1 : 0,
    );
    return sets;
  };
  return ({ honorAffinity, honorTaints }) => {
    const matches = honorAffinity ? nodeMatches(spec, nodes) : undefined;
    if (honorTaints) tolerated ??= toleratedSets();
    const sets = honorTaints ? tolerated : undefined;
    if (matches === undefined && sets === undefined) return undefined;
    const { taintSet } = nodes;
    return (slot) =>
      (matches === undefined || matches[slot] === 1) && (sets === undefined || sets[taintSet[slot] ?? 0] === 1);
  };
}

function constraintsOf(pod: PodInfo, when: "DoNotSchedule" | "ScheduleAnyway", options: TopologySpreadOptions) {
  const { features = allFeatures } = options;
  if (pod.pod.spec.topologySpreadConstraints?.length)
    return { constraints: ownConstraints(pod, when, features), own: true };
  if (!options.defaults.some(({ whenUnsatisfiable }) => whenUnsatisfiable === when))
    return { constraints: [], own: false };
  const selector = options.selectorOf(pod);
  if (selector === undefined) return { constraints: [], own: false };
  return { constraints: defaultedConstraints(pod, options.defaults, when, selector, features), own: false };
}

/** The domains of the required constraints, with the largest number of pods that each may have. */
interface Limited {
  readonly spread: readonly Domains[];
  readonly limits: number[];
  /** Whether the constraints count the pods of a class, as far as that was asked. */
  readonly counted: Map<PodClass, readonly boolean[]>;
}

const NO_MATCHES: readonly boolean[] = [];

const limitOf = ({ constraint: { maxSkew, self } }: Domains, least: number): number => maxSkew - self + least;

const isSelected = ({ namespaces, matches }: PodQuery, podClass: PodClass): boolean =>
  namespaces.includes(podClass.namespace) && matches(podClass);

/** Counts alike pods that were added to a node, or removed (below 0), while those of all other nodes are as they were counted. */
function countPods(found: Limited, slot: number, { podClass }: PodInfo, added: number): void {
  const { spread, limits, counted } = found;
  let matches = counted.get(podClass);
  if (matches === undefined) {
    const each = spread.map(({ constraint: { query } }) => isSelected(query, podClass));
    matches = each.includes(true) ? each : NO_MATCHES;
    counted.set(podClass, matches);
  }
  for (let c = 0; c < matches.length; c++) {
    const one = spread[c] as Domains;
    if (!matches[c] || !one.isCounted(slot)) continue;
    const domain = one.domains[slot] ?? 0;
    const count = (one.counts[domain] ?? 0) + added;
    one.counts[domain] = count;
    limits[c] = limitOf(one, Math.min(count, one.leastWithout(domain)));
  }
}

const limited = stateKey<Limited>("PodTopologySpread");

/**
 * Filter PodTopologySpread: no domain may have more than `maxSkew` pods beyond the domain with the fewest (KEP-895).
 */
export function podTopologySpreadFilter(options: TopologySpreadOptions): PreFilterPlugin & FilterPlugin {
  const limitsFor = (pod: PodInfo, nodes: NodeTable): Limited | PodRejection | undefined => {
    const { constraints } = constraintsOf(pod, "DoNotSchedule", options);
    if (constraints.length === 0) return undefined;
    if (isTooMuch(sumOfSteps(constraints), nodes))
      return {
        rejected: `pod has too many topology spread constraints, or too long ones, for this cluster: ${constraints.length}`,
      };
    const spread = domainsOf(constraints, nodes, eligibility(pod, nodes, options.nodeMatches), true);
    return { spread, limits: spread.map((one) => limitOf(one, one.least)), counted: new Map() };
  };
  return {
    name: "PodTopologySpread",
    events:
      ClusterEvent.NodeAdded |
      ClusterEvent.NodeDeleted |
      ClusterEvent.NodeLabels |
      ClusterEvent.NodeTaints |
      ClusterEvent.PodAdded |
      ClusterEvent.PodDeleted,
    hint: podTopologySpreadHint(options.features),
    outdatedBy: neverOutdated,
    preFilter(pod, nodes, state) {
      const found = limitsFor(pod, nodes);
      if (found === undefined) return "skip";
      if ("rejected" in found) return found;
      state.set(limited, found);
      return undefined;
    },
    filter(pod, nodes, state) {
      const found = state.get(limited) ?? limitsFor(pod, nodes);
      if (found === undefined || "rejected" in found) return found;
      const { spread, limits } = found;
      return {
        reasons,
        check(slot) {
          for (let c = 0; c < spread.length; c++) {
            const { domains, counts } = spread[c] as Domains;
            const domain = domains[slot] ?? 0;
            if (domain === 0) return 1;
            if ((counts[domain] ?? 0) > (limits[c] ?? 0)) return 2;
          }
          return 0;
        },
        podChanged: (slot, info, sign) => countPods(found, slot, info, sign),
        podsChanged: (slot, example, count) => countPods(found, slot, example, count),
        readsAmountsOnly: true,
        shortfalls: (slot) => spread.flatMap((one, c) => spreadShortfall(one, slot, limits[c] ?? 0, nodes)),
      };
    },
  };
}

/** How far a node's domain is beyond what a constraint allows; empty if it is not. */
function spreadShortfall(
  { constraint, domains, counts }: Domains,
  slot: number,
  limit: number,
  nodes: NodeTable,
): readonly Shortfall[] {
  const { topologyKey, maxSkew } = constraint;
  const domain = domains[slot] ?? 0;
  if (domain === 0) return [{ what: `label ${topologyKey}`, needed: "any value", available: NO_LABEL }];
  const count = counts[domain] ?? 0;
  if (count <= limit) return [];
  const value = labelText(nodes.nodeAt(slot)?.metadata.labels, topologyKey);
  return [
    {
      what: `pods to spread in ${topologyKey} ${value}, with maxSkew ${maxSkew}`,
      needed: `at most ${limit}`,
      available: String(count),
      missing: `${count - limit} fewer`,
      share: (count - limit) / count,
    },
  ];
}

const HOSTNAME = "orchernetes.io/hostname";

/**
 * The weighted number of pods in a node's domains. Weights grow with the number of domains, so that a constraint over
 * three zones counts as much as one over a thousand nodes.
 */
function crowding(
  slot: number,
  spread: readonly Domains[],
  weights: readonly number[],
  constraints: readonly Constraint[],
): number {
  let sum = 0;
  for (let c = 0; c < spread.length; c++) {
    const { domains, counts, perNode } = spread[c] as Domains;
    const domain = domains[slot] ?? 0;
    if (domain === 0) continue;
    const { topologyKey, maxSkew } = constraints[c] as Constraint;
    const count = topologyKey === HOSTNAME ? perNode[slot] : counts[domain];
    sum += (count ?? 0) * (weights[c] ?? 0) + maxSkew - 1;
  }
  return Math.round(sum);
}

/** The domains of the preferred constraints. */
interface Preferred {
  readonly spread: readonly Domains[];
  readonly constraints: readonly Constraint[];
  /** Whether a node must have the labels of all constraints to be preferred. */
  readonly needAll: boolean;
}

const preferred = stateKey<Preferred>("PreScorePodTopologySpread");

/** Score of a node that lacks a label of a constraint, until it is normalized to 0. */
const LACKING = -1;

/** Fewer pods are better: the lowest score becomes 100. */
function normalize(scores: Float64Array): void {
  let least = Number.POSITIVE_INFINITY;
  let most = 0;
  for (let i = 0; i < scores.length; i++) {
    const score = scores[i] ?? 0;
    if (score === LACKING) continue;
    least = Math.min(least, score);
    most = Math.max(most, score);
  }
  for (let i = 0; i < scores.length; i++) {
    const score = scores[i] ?? 0;
    if (score === LACKING) scores[i] = 0;
    else scores[i] = most === 0 ? MAX_SCORE : Math.floor((MAX_SCORE * (most + least - score)) / most);
  }
}

function scoreOf({ spread, constraints, needAll }: Preferred): NodeScore {
  const lacking = (slot: number) => needAll && spread.some(({ domains }) => (domains[slot] ?? 0) === 0);
  return (slots, scores) => {
    const counted = slots.filter((slot) => !lacking(slot));
    const weights = spread.map(({ constraint, domains }) => {
      // Nodes without the label, which only the lenient defaults count, are a domain of their own, as in the original.
      const isHost = constraint.topologyKey === HOSTNAME;
      const size = isHost ? counted.length : new Set(Array.from(counted, (slot) => domains[slot])).size;
      return Math.log(size + 2);
    });
    for (let i = 0; i < slots.length; i++) {
      const slot = slots[i] ?? 0;
      scores[i] = lacking(slot) ? LACKING : crowding(slot, spread, weights, constraints);
    }
  };
}

/** Score PodTopologySpread: prefers nodes whose domains have fewer of the pods to spread. */
export function podTopologySpreadScore(options: TopologySpreadOptions): PreScorePlugin & ScorePlugin {
  const preferenceOf = (pod: PodInfo, nodes: NodeTable): Preferred | undefined => {
    const { constraints, own } = constraintsOf(pod, "ScheduleAnyway", options);
    // A preference that cannot be afforded does not keep the pod from being scheduled.
    if (constraints.length === 0 || isTooMuch(sumOfSteps(constraints), nodes)) return undefined;
    const needAll = own || !options.lenientDefaults;
    const spread = domainsOf(constraints, nodes, eligibility(pod, nodes, options.nodeMatches), needAll);
    return { spread, constraints, needAll };
  };
  return {
    name: "PodTopologySpread",
    preScore(pod, nodes, state) {
      const found = preferenceOf(pod, nodes);
      if (found === undefined) return "skip";
      state.set(preferred, found);
      return undefined;
    },
    score(pod, nodes, state) {
      const found = state.get(preferred) ?? preferenceOf(pod, nodes);
      return found && scoreOf(found);
    },
    normalizeScore: normalize,
  };
}
