import { compileNodePreference, nodeMatchesPod } from "@orchernetes/component-helpers";
import { ClusterEvent, type FilterPlugin, lasting, MAX_SCORE, type ScorePlugin } from "../framework/interfaces.ts";
import { affinityShortfalls } from "./node-affinity-shortfalls.ts";
import { whenNodePasses } from "./node-hints.ts";
import { createNodeMatches, type NodeMatches } from "./node-matches.ts";

const reasons = [lasting("node(s) didn't match Pod's node affinity/selector")];

/** Filter NodeAffinity: `spec.nodeSelector` and required node affinity. */
export function nodeAffinityFilter(nodeMatches: NodeMatches = createNodeMatches()): FilterPlugin {
  return {
    name: "NodeAffinity",
    events: ClusterEvent.NodeAdded | ClusterEvent.NodeLabels,
    hint: whenNodePasses(({ pod }, node) => nodeMatchesPod(node, pod.spec)),
    prepare({ pod }, nodes) {
      const matches = nodeMatches(pod.spec, nodes);
      if (matches === undefined) return undefined;
      return {
        reasons,
        check: (slot) => (matches[slot] === 1 ? 0 : 1),
        shortfalls: (slot) => affinityShortfalls(pod.spec, nodes.nodeAt(slot)),
      };
    },
  };
}

/**
 * Score NodeAffinity: the sum of the weights of the preferred terms that a node matches, scaled to the best node. Empty
 * terms match nothing.
 */
export const nodeAffinityScore: ScorePlugin = {
  name: "NodeAffinity",
  prepare({ pod }, nodes) {
    const preferred = pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution;
    if (!preferred?.length) return undefined;
    const preference = compileNodePreference(preferred);
    return (slots, scores) => {
      let best = 0;
      for (let i = 0; i < slots.length; i++) {
        const node = nodes.nodeAt(slots[i] ?? 0);
        if (node === undefined) continue;
        const sum = preference(node);
        scores[i] = sum;
        best = Math.max(best, sum);
      }
      if (best === 0) return;
      for (let i = 0; i < slots.length; i++) scores[i] = Math.floor((MAX_SCORE * (scores[i] ?? 0)) / best);
    };
  },
};
