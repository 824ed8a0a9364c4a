import type { core } from "@orchernetes/api";
import { repellingEffects, untoleratedTaints } from "@orchernetes/component-helpers";
import type { NodeTable } from "../cache/node-table.ts";
import type { PodInfo } from "../cache/pod-info.ts";
import { stateKey } from "../framework/cycle-state.ts";
import {
  ClusterEvent,
  type FilterPlugin,
  lasting,
  neverOutdated,
  type PreScorePlugin,
  type Reason,
  type ScorePlugin,
} from "../framework/interfaces.ts";
import { reversedScores } from "../framework/normalize-scores.ts";
import { whenNodePasses } from "./node-hints.ts";

/** Evaluates each set of taints once per pod, instead of each node. */
function perTaintSet({ taintSets }: NodeTable, judge: (taints: readonly core.Taint[]) => number): Uint32Array {
  const verdicts = new Uint32Array(taintSets.length);
  for (let set = 1; set < verdicts.length; set++) verdicts[set] = judge(taintSets.taints(set));
  return verdicts;
}

/** Filter TaintToleration: NoSchedule and NoExecute taints must be tolerated. */
export const taintTolerationFilter: FilterPlugin = {
  name: "TaintToleration",
  events: ClusterEvent.NodeAdded | ClusterEvent.NodeTaints,
  hint: whenNodePasses(
    ({ pod }, { spec }) => untoleratedTaints(spec.taints, pod.spec.tolerations, repellingEffects).length === 0,
  ),
  outdatedBy: neverOutdated,
  filter({ pod }, nodes) {
    if (nodes.taintSets.length === 1) return undefined;
    const reasons: Reason[] = [];
    const byText = new Map<string, number>();
    const verdicts = perTaintSet(nodes, (taints) => {
      const [first] = untoleratedTaints(taints, pod.spec.tolerations, repellingEffects);
      if (first === undefined) return 0;
      const text = `node(s) had untolerated taint {${first.key}: ${first.value ?? ""}}`;
      const verdict = byText.get(text) ?? reasons.push(lasting(text));
      byText.set(text, verdict);
      return verdict;
    });
    if (reasons.length === 0) return undefined;
    const { taintSet, taintSets } = nodes;
    return {
      reasons,
      check: (slot) => verdicts[taintSet[slot] ?? 0] ?? 0,
      podChanged: "unaffected",
      readsAmountsOnly: true,
      shortfalls: (slot) =>
        untoleratedTaints(taintSets.taints(taintSet[slot] ?? 0), pod.spec.tolerations, repellingEffects).map(
          ({ key, value, effect }) => ({
            what: "taint",
            needed: "a toleration",
            available: `${key}${value ? `=${value}` : ""}:${effect}`,
          }),
        ),
    };
  },
};

/** Score TaintToleration: prefers nodes with fewer untolerated PreferNoSchedule taints. */
export const taintTolerationScore: PreScorePlugin & ScorePlugin = {
  name: "TaintToleration",
  preScore(pod, nodes, state) {
    const counts = untoleratedCounts(pod, nodes);
    if (counts === undefined) return "skip";
    state.set(countsOfSets, counts);
    return undefined;
  },
  score(pod, nodes, state) {
    const counts = state.get(countsOfSets) ?? untoleratedCounts(pod, nodes);
    if (counts === undefined) return undefined;
    const { taintSet } = nodes;
    return (slots, scores) => {
      for (let i = 0; i < slots.length; i++) scores[i] = counts[taintSet[slots[i] ?? 0] ?? 0] ?? 0;
    };
  },
  normalizeScore: reversedScores,
};

/** By set of taints: the number of those that the pod should avoid. */
const countsOfSets = stateKey<Uint32Array>("TaintToleration");

/** Counts the untolerated taints of each set; undefined if there are none. */
function untoleratedCounts({ pod }: PodInfo, nodes: NodeTable): Uint32Array | undefined {
  if (nodes.taintSets.length === 1) return undefined;
  // Only tolerations of this effect, or of every effect, count here.
  const tolerations = (pod.spec.tolerations ?? []).filter((t) => !t.effect || t.effect === "PreferNoSchedule");
  const counts = perTaintSet(nodes, (taints) => untoleratedTaints(taints, tolerations, ["PreferNoSchedule"]).length);
  return counts.every((count) => count === 0) ? undefined : counts;
}

/** The plugin TaintToleration. */
export const taintToleration = { ...taintTolerationFilter, ...taintTolerationScore };
