import type { NodeTable } from "../cache/node-table.ts";
import type { PodInfo } from "../cache/pod-info.ts";
import type { CycleMeter } from "./cycle-meter.ts";
import type { NodeScore, WeightedScore } from "./interfaces.ts";

interface PreparedScore {
  readonly name: string;
  readonly score: NodeScore;
  readonly weight: number;
}

function prepareScores(
  pod: PodInfo,
  nodes: NodeTable,
  plugins: readonly WeightedScore[],
  meter: CycleMeter | undefined,
): readonly PreparedScore[] {
  const startedMs = meter?.now() ?? 0;
  const prepared: PreparedScore[] = [];
  for (const { plugin, weight } of plugins) {
    const fromMs = meter?.measuresPlugins ? meter.now() : 0;
    const score = plugin.prepare(pod, nodes);
    if (meter?.measuresPlugins) meter.plugin(plugin.name, "PreScore", score === undefined ? "Skip" : "Success", fromMs);
    if (score !== undefined) prepared.push({ name: plugin.name, score, weight });
  }
  meter?.point("PreScore", "Success", startedMs);
  return prepared;
}

/** The weighted sum of scores of each slot. */
function totalsOf(prepared: readonly PreparedScore[], slots: Int32Array, meter: CycleMeter | undefined): Float64Array {
  const startedMs = meter?.now() ?? 0;
  const totals = new Float64Array(slots.length);
  const scores = new Float64Array(slots.length);
  for (const { name, score, weight } of prepared) {
    const fromMs = meter?.measuresPlugins ? meter.now() : 0;
    scores.fill(0);
    score(slots, scores);
    for (let i = 0; i < totals.length; i++) totals[i] = (totals[i] ?? 0) + weight * (scores[i] ?? 0);
    if (meter?.measuresPlugins) meter.plugin(name, "Score", "Success", fromMs);
  }
  meter?.point("Score", "Success", startedMs);
  return totals;
}

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
  meter?: CycleMeter,
): number {
  const totals = totalsOf(prepareScores(pod, nodes, plugins, meter), slots, meter);
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
