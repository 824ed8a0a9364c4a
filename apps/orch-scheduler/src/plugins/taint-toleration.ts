import type { core } from "@orchernetes/api";
import { repellingEffects, untoleratedTaints } from "@orchernetes/component-helpers";
import type { NodeTable } from "../cache/node-table.ts";
import {
  ClusterEvent,
  type FilterPlugin,
  lasting,
  MAX_SCORE,
  type Reason,
  type ScorePlugin,
} from "../framework/interfaces.ts";
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
  prepare({ pod }, nodes) {
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
export const taintTolerationScore: ScorePlugin = {
  name: "TaintToleration",
  prepare({ pod }, nodes) {
    if (nodes.taintSets.length === 1) return undefined;
    // Only tolerations of this effect, or of every effect, count here.
    const tolerations = (pod.spec.tolerations ?? []).filter((t) => !t.effect || t.effect === "PreferNoSchedule");
    const counts = perTaintSet(nodes, (taints) => untoleratedTaints(taints, tolerations, ["PreferNoSchedule"]).length);
    if (counts.every((count) => count === 0)) return undefined;
    const { taintSet } = nodes;
    return (slots, scores) => {
      let most = 0;
      for (let i = 0; i < slots.length; i++) most = Math.max(most, counts[taintSet[slots[i] ?? 0] ?? 0] ?? 0);
      if (most === 0) return;
      for (let i = 0; i < slots.length; i++)
        scores[i] = MAX_SCORE - Math.floor((MAX_SCORE * (counts[taintSet[slots[i] ?? 0] ?? 0] ?? 0)) / most);
    };
  },
};
