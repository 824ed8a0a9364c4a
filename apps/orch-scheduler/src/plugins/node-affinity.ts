import type { core } from "@orchernetes/api";
import {
  compileNodeAffinity,
  compileNodePreference,
  compileNodeSelector,
  type NodePredicate,
  nodeMatchesPod,
} from "@orchernetes/component-helpers";
import { isTooMuchPerNode } from "../cache/matching-cost.ts";
import type { NodeTable } from "../cache/node-table.ts";
import type { PodInfo } from "../cache/pod-info.ts";
import { stateKey } from "../framework/cycle-state.ts";
import {
  ClusterEvent,
  type FilterPlugin,
  lasting,
  neverOutdated,
  type PreFilterPlugin,
  type PreScorePlugin,
  type ScorePlugin,
} from "../framework/interfaces.ts";
import { defaultNormalizeScore } from "../framework/normalize-scores.ts";
import type { Shortfall } from "../framework/shortfall.ts";
import { affinityShortfalls, selectorShortfalls } from "./node-affinity-shortfalls.ts";
import { whenNodePasses } from "./node-hints.ts";
import { createNodeMatches, type NodeMatches } from "./node-matches.ts";

const POD = 1;
const ENFORCED = 2;
const reasons = [
  lasting("node(s) didn't match Pod's node affinity/selector"),
  lasting("node(s) didn't match scheduler-enforced node affinity"),
];

type Preference = (node: core.Node) => number;
const preferences = stateKey<Preference>("PreScoreNodeAffinity");

/**
 * The names of the only nodes that can match, if every term names some: daemon sets name one, and then no other node need
 * be examined.
 */
function namedNodes(spec: core.PodSpec): ReadonlySet<string> | undefined {
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  if (terms === undefined || terms.length === 0) return undefined;
  const names = new Set<string>();
  for (const { matchFields = [] } of terms) {
    let ofTerm: readonly string[] | undefined;
    for (const { key, operator, values = [] } of matchFields)
      if (key === "metadata.name" && operator === "In")
        ofTerm = ofTerm === undefined ? values : ofTerm.filter((name) => values.includes(name));
    if (ofTerm === undefined) return undefined;
    for (const name of ofTerm) names.add(name);
  }
  return names;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** What a comparison of a term with a node costs. */
const termSteps = ({ matchExpressions = [], matchFields = [] }: core.NodeSelectorTerm): number =>
  sum([...matchExpressions, ...matchFields].map(({ values = [] }) => 1 + values.length));

/** Whether the pod's own requirements match a node; undefined if it has none. */
function matcher(spec: core.PodSpec, nodes: NodeTable, nodeMatches: NodeMatches) {
  if (namedNodes(spec) !== undefined) {
    // Each pod of a daemon set names another node, so results for all nodes would be computed for each of them.
    const wanted = compileNodeAffinity(spec);
    return (slot: number): boolean => {
      const node = nodes.nodeAt(slot);
      return node !== undefined && wanted?.(node) !== false;
    };
  }
  const matches = nodeMatches(spec, nodes);
  return matches && ((slot: number): boolean => matches[slot] === 1);
}

/** Filter NodeAffinity: `spec.nodeSelector` and required node affinity, and the affinity that the profile adds. */
export function nodeAffinityFilter(
  nodeMatches: NodeMatches = createNodeMatches(),
  added?: core.NodeAffinity,
): PreFilterPlugin & FilterPlugin {
  const enforcing = addedRequirement(added);
  return {
    name: "NodeAffinity",
    events: ClusterEvent.NodeAdded | ClusterEvent.NodeLabels,
    hint: whenNodePasses(({ pod }, node) => nodeMatchesPod(node, pod.spec) && enforcing?.(node) !== false),
    outdatedBy: neverOutdated,
    preFilter({ pod: { spec } }, nodes) {
      const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
      if (required === undefined)
        return spec.nodeSelector === undefined && enforcing === undefined ? "skip" : undefined;
      if (isTooMuchPerNode(sum(required.nodeSelectorTerms.map(termSteps)), nodes))
        return { rejected: "pod has too many terms of node affinity, or too long ones, for this cluster" };
      const nodeNames = namedNodes(spec);
      if (nodeNames === undefined) return undefined;
      return nodeNames.size === 0 ? { rejected: "pod affinity terms conflict" } : { nodeNames };
    },
    filter({ pod }, nodes) {
      const matches = matcher(pod.spec, nodes, nodeMatches);
      const unaffected = { podChanged: "unaffected", readsAmountsOnly: true } as const;
      const shortfalls = (slot: number) => [
        ...enforcedShortfalls(added, nodes.nodeAt(slot)),
        ...affinityShortfalls(pod.spec, nodes.nodeAt(slot)),
      ];
      if (enforcing === undefined)
        return matches && { reasons, check: (slot) => (matches(slot) ? 0 : POD), ...unaffected, shortfalls };
      return {
        reasons,
        ...unaffected,
        shortfalls,
        check(slot) {
          const node = nodes.nodeAt(slot);
          if (node === undefined || !enforcing(node)) return ENFORCED;
          return matches === undefined || matches(slot) ? 0 : POD;
        },
      };
    },
  };
}

/** What a node lacks for the affinity that the profile adds. */
function enforcedShortfalls(added: core.NodeAffinity | undefined, node: core.Node | undefined): readonly Shortfall[] {
  const required = added?.requiredDuringSchedulingIgnoredDuringExecution;
  if (required === undefined || node === undefined || compileNodeSelector(required)(node)) return [];
  return selectorShortfalls(required, node).map((one) => ({ ...one, what: `of the scheduler: ${one.what}` }));
}

function addedRequirement(added: core.NodeAffinity | undefined): NodePredicate | undefined {
  const required = added?.requiredDuringSchedulingIgnoredDuringExecution;
  return required && compileNodeSelector(required);
}

/**
 * Score NodeAffinity: the sum of the weights of the preferred terms that a node matches, those of the pod and of the
 * profile, scaled to the best node. Empty terms match nothing.
 */
export function nodeAffinityScore(added?: core.NodeAffinity): PreScorePlugin & ScorePlugin {
  const own = added?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const preferenceOf = ({ pod }: PodInfo): Preference | undefined => {
    const preferred = pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    return preferred.length + own.length === 0 ? undefined : compileNodePreference([...own, ...preferred]);
  };
  return {
    name: "NodeAffinity",
    preScore(pod, nodes, state) {
      const terms = pod.pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
      // A preference that cannot be afforded does not keep the pod from being scheduled.
      const isAfforded = !isTooMuchPerNode(sum(terms.map(({ preference }) => termSteps(preference))), nodes);
      const preference = isAfforded ? preferenceOf(pod) : undefined;
      if (preference === undefined) return "skip";
      state.set(preferences, preference);
      return undefined;
    },
    score(pod, nodes: NodeTable, state) {
      const preference = state.get(preferences) ?? preferenceOf(pod);
      if (preference === undefined) return undefined;
      return (slots, scores) => {
        for (let i = 0; i < slots.length; i++) {
          const node = nodes.nodeAt(slots[i] ?? 0);
          if (node !== undefined) scores[i] = preference(node);
        }
      };
    },
    normalizeScore: defaultNormalizeScore,
  };
}
