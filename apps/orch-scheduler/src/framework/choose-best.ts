import type { NodeTable } from "../cache/node-table.ts";
import type { PodInfo } from "../cache/pod-info.ts";
import type { WeightedScore } from "./interfaces.ts";

/**
 * Returns the slot with the highest weighted sum of scores. Ties are broken at random, with equal probability
 * (reservoir sampling), so that equal nodes are filled evenly.
 */
export function chooseBest(
  pod: PodInfo,
  nodes: NodeTable,
  plugins: readonly WeightedScore[],
  slots: Int32Array,
  random: () => number,
): number {
  const totals = new Float64Array(slots.length);
  const scores = new Float64Array(slots.length);
  for (const { plugin, weight } of plugins) {
    const score = plugin.prepare(pod, nodes);
    if (score === undefined) continue;
    scores.fill(0);
    score(slots, scores);
    for (let i = 0; i < totals.length; i++) totals[i] = (totals[i] ?? 0) + weight * (scores[i] ?? 0);
  }
  let chosen = slots[0] ?? 0;
  let highest = totals[0] ?? 0;
  let ties = 1;
  for (let i = 1; i < totals.length; i++) {
    const total = totals[i] ?? 0;
    if (total > highest) {
      highest = total;
      chosen = slots[i] ?? 0;
      ties = 1;
    } else if (total === highest && random() * ++ties < 1) chosen = slots[i] ?? 0;
  }
  return chosen;
}
