import type { core } from "@orchernetes/api";
import type { NodeTable } from "../cache/node-table.ts";
import { ClusterEvent, type FilterPlugin, MAX_SCORE, type ScorePlugin } from "../framework/interfaces.ts";
import { tolerates } from "./tolerations.ts";

const untolerated = (
  taints: readonly core.Taint[],
  tolerations: readonly core.Toleration[],
  effects: readonly string[],
): readonly core.Taint[] =>
  taints.filter((taint) => effects.includes(taint.effect) && !tolerations.some((t) => tolerates(t, taint)));

/** Nodes share taint sets: each set is judged once per pod, not each node. */
function perTaintSet(nodes: NodeTable, judge: (taints: readonly core.Taint[]) => number): Uint32Array {
  const verdicts = new Uint32Array(nodes.taintSetCount);
  for (let set = 0; set < verdicts.length; set++) verdicts[set] = judge(nodes.taintsOf(set));
  return verdicts;
}

/** Filter TaintToleration: NoSchedule and NoExecute taints must be tolerated. */
export const taintTolerationFilter: FilterPlugin = {
  name: "TaintToleration",
  events: ClusterEvent.NodeAdded | ClusterEvent.NodeTaints,
  prepare({ pod }, nodes) {
    if (nodes.taintSetCount === 1) return undefined;
    const tolerations = pod.spec.tolerations ?? [];
    const reasons: string[] = [];
    const verdicts = perTaintSet(nodes, (taints) => {
      const [first] = untolerated(taints, tolerations, ["NoSchedule", "NoExecute"]);
      if (first === undefined) return 0;
      const reason = `node(s) had untolerated taint {${first.key}: ${first.value ?? ""}}`;
      const known = reasons.indexOf(reason);
      return known >= 0 ? known + 1 : reasons.push(reason);
    });
    if (reasons.length === 0) return undefined;
    const { taintSet } = nodes;
    return { reasons, check: (slot) => verdicts[taintSet[slot] ?? 0] ?? 0 };
  },
};

/** Score TaintToleration: the fewer untolerated PreferNoSchedule taints, the better. */
export const taintTolerationScore: ScorePlugin = {
  name: "TaintToleration",
  weight: 3,
  prepare({ pod }, nodes, slots) {
    if (nodes.taintSetCount === 1) return undefined;
    // Only tolerations that speak of the effect (or of every effect) count here.
    const tolerations = (pod.spec.tolerations ?? []).filter((t) => !t.effect || t.effect === "PreferNoSchedule");
    const counts = perTaintSet(nodes, (taints) => untolerated(taints, tolerations, ["PreferNoSchedule"]).length);
    const { taintSet } = nodes;
    let most = 0;
    for (const slot of slots) most = Math.max(most, counts[taintSet[slot] ?? 0] ?? 0);
    if (most === 0) return undefined;
    return (slot) => MAX_SCORE - Math.floor((MAX_SCORE * (counts[taintSet[slot] ?? 0] ?? 0)) / most);
  },
};
