import type { NodeTable } from "../cache/node-table.ts";
import type { PodInfo } from "../cache/pod-info.ts";
import type { CycleMeter } from "./cycle-meter.ts";
import type { CycleState } from "./cycle-state.ts";
import { MAX_SCORE, type PreScorePlugin } from "./interfaces.ts";
import type { Profile } from "./profile.ts";

/** Adds the weighted scores of one plugin. @throws Error if a score is outside of 0 to 100 */
function add(totals: Float64Array, scores: Float64Array, weight: number, plugin: string): void {
  for (let i = 0; i < totals.length; i++) {
    const score = scores[i] ?? 0;
    // The comparison is also false for NaN.
    if (!(score >= 0 && score <= MAX_SCORE))
      throw new Error(
        `plugin "${plugin}" returns an invalid score ${score}, it should in the range of [0, ${MAX_SCORE}] after normalizing`,
      );
    totals[i] = (totals[i] ?? 0) + weight * score;
  }
}

/** Runs PreScore, and returns the names of the plugins that it leaves out. */
function runPreScores(
  pod: PodInfo,
  nodes: NodeTable,
  preScores: readonly PreScorePlugin[],
  state: CycleState,
  meter: CycleMeter | undefined,
): ReadonlySet<string> {
  const startedMs = meter?.now() ?? 0;
  const skipped = new Set<string>();
  for (const plugin of preScores) {
    const fromMs = meter?.measuresPlugins ? meter.now() : 0;
    const skips = plugin.preScore(pod, nodes, state) === "skip";
    if (skips) skipped.add(plugin.name);
    if (meter?.measuresPlugins) meter.plugin(plugin.name, "PreScore", skips ? "Skip" : "Success", fromMs);
  }
  meter?.point("PreScore", "Success", startedMs);
  return skipped;
}

/**
 * The weighted sum of the scores of each slot: PreScore, Score and NormalizeScore.
 *
 * @throws Error if a plugin's score is outside of 0 to 100
 */
export function totalScores(
  pod: PodInfo,
  nodes: NodeTable,
  { preScores, scores: plugins }: Pick<Profile, "preScores" | "scores">,
  slots: Int32Array,
  state: CycleState,
  meter?: CycleMeter,
): Float64Array {
  const skipped = runPreScores(pod, nodes, preScores, state, meter);
  const startedMs = meter?.now() ?? 0;
  const totals = new Float64Array(slots.length);
  const scores = new Float64Array(slots.length);
  for (const { plugin, weight } of plugins) {
    if (skipped.has(plugin.name)) continue;
    const fromMs = meter?.measuresPlugins ? meter.now() : 0;
    const score = plugin.score(pod, nodes, state);
    if (score === undefined) continue;
    scores.fill(0);
    score(slots, scores);
    plugin.normalizeScore?.(scores);
    add(totals, scores, weight, plugin.name);
    if (meter?.measuresPlugins) meter.plugin(plugin.name, "Score", "Success", fromMs);
  }
  meter?.point("Score", "Success", startedMs);
  return totals;
}

/**
 * Returns the slot with the highest total. Ties are broken at random, with equal probability (reservoir sampling), so
 * that equal nodes are filled evenly.
 */
export function chooseBest(slots: Int32Array, totals: Float64Array, random: () => number): number {
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
