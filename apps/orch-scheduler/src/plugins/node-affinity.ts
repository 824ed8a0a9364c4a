import type { core } from "@orchernetes/api";
import { type NodeTable, PRESENT } from "../cache/node-table.ts";
import { ClusterEvent, type FilterPlugin, lasting, MAX_SCORE, type ScorePlugin } from "../framework/interfaces.ts";
import { matchesNodeSelector, termMatches } from "./node-selector.ts";

/** Selectors remembered; pods of one template share one. */
const MAX_CACHED = 256;

const reasons = [lasting("node(s) didn't match Pod's node affinity/selector")];

/** Filter NodeAffinity: `spec.nodeSelector` and required node affinity. Results are kept per selector until labels change. */
export function nodeAffinityFilter(): FilterPlugin {
  const cache = new Map<string, Uint8Array>();
  let version = -1;
  let owner: NodeTable | undefined;

  const evaluate = (spec: core.PodSpec, nodes: NodeTable): Uint8Array => {
    const matches = new Uint8Array(nodes.length);
    for (let slot = 0; slot < nodes.length; slot++) {
      const node = nodes.nodeAt(slot);
      if (node !== undefined && (nodes.flags[slot] ?? 0) & PRESENT && matchesNodeSelector(spec, node))
        matches[slot] = 1;
    }
    return matches;
  };

  return {
    name: "NodeAffinity",
    events: ClusterEvent.NodeAdded | ClusterEvent.NodeLabels,
    prepare({ pod: { spec } }, nodes) {
      const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
      if (spec.nodeSelector === undefined && required === undefined) return undefined;
      if (nodes.labelsVersion !== version || owner !== nodes) {
        cache.clear();
        version = nodes.labelsVersion;
        owner = nodes;
      }
      const key = JSON.stringify([spec.nodeSelector, required]);
      let matches = cache.get(key);
      if (matches === undefined) {
        if (cache.size >= MAX_CACHED) cache.clear();
        matches = evaluate(spec, nodes);
        cache.set(key, matches);
      }
      const found = matches;
      return { reasons, check: (slot) => (found[slot] === 1 ? 0 : 1) };
    },
  };
}

/** Score NodeAffinity: the weights of the preferred terms that a node meets, scaled to the best node. */
export const nodeAffinityScore: ScorePlugin = {
  name: "NodeAffinity",
  prepare({ pod }, nodes) {
    const preferred = pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution;
    if (!preferred?.length) return undefined;
    return (slots, scores) => {
      let best = 0;
      for (let i = 0; i < slots.length; i++) {
        const node = nodes.nodeAt(slots[i] ?? 0);
        if (node === undefined) continue;
        let sum = 0;
        // A preference without requirements is met by every node.
        for (const { weight, preference } of preferred)
          if (isEmpty(preference) || termMatches(preference, node)) sum += weight;
        scores[i] = sum;
        best = Math.max(best, sum);
      }
      if (best === 0) return;
      for (let i = 0; i < slots.length; i++) scores[i] = Math.floor((MAX_SCORE * (scores[i] ?? 0)) / best);
    };
  },
};

const isEmpty = ({ matchExpressions, matchFields }: core.NodeSelectorTerm): boolean =>
  !matchExpressions?.length && !matchFields?.length;
