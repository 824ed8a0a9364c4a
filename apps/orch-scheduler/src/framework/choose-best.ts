import type { NodeTable } from "../cache/node-table.ts";
import type { PodInfo } from "../cache/pod-info.ts";
import type { CycleMeter, PointStatus } from "./cycle-meter.ts";
import type { CycleState } from "./cycle-state.ts";
import { MAX_SCORE, type PreScorePlugin, type ScorePlugin } from "./interfaces.ts";
import { measurePlugin, measurePoint } from "./measure.ts";
import { pluginError } from "./plugin-error.ts";
import type { Profile } from "./profile.ts";

/** @throws Error if a score is outside of 0 to 100 */
function requireInRange(scores: Float64Array, plugin: string): void {
  // The comparison is also false for NaN.
  const wrong = scores.find((score) => !(score >= 0 && score <= MAX_SCORE));
  if (wrong !== undefined)
    throw new Error(
      `plugin "${plugin}" returns an invalid score ${wrong}, it should in the range of [0, ${MAX_SCORE}] after normalizing`,
    );
}

/** @throws Error that names the plugin, if the plugin fails */
function skipsScore(plugin: PreScorePlugin, pod: PodInfo, nodes: NodeTable, state: CycleState): boolean {
  try {
    return plugin.preScore(pod, nodes, state) === "skip";
  } catch (cause) {
    throw pluginError(`PreScore plugin "${plugin.name}"`, cause);
  }
}

const preScoreStatus = (skips: boolean): PointStatus => (skips ? "Skip" : "Success");

/** Runs PreScore, and returns the names of the plugins that it leaves out. */
function runPreScores(
  pod: PodInfo,
  nodes: NodeTable,
  preScores: readonly PreScorePlugin[],
  state: CycleState,
  meter: CycleMeter | undefined,
): ReadonlySet<string> {
  const skipped = new Set<string>();
  measurePoint(meter, "PreScore", () => {
    for (const plugin of preScores) {
      const run = () => skipsScore(plugin, pod, nodes, state);
      if (measurePlugin(meter, plugin, "PreScore", run, preScoreStatus)) skipped.add(plugin.name);
    }
  });
  return skipped;
}

/**
 * Writes the normalized scores of a plugin; false if it prefers no node.
 *
 * @throws Error that names the plugin, if the plugin fails
 */
function scoreBy(
  plugin: ScorePlugin,
  pod: PodInfo,
  nodes: NodeTable,
  state: CycleState,
  slots: Int32Array,
  scores: Float64Array,
): boolean {
  try {
    const score = plugin.score(pod, nodes, state);
    if (score === undefined) return false;
    score(slots, scores);
    plugin.normalizeScore?.(scores);
    return true;
  } catch (cause) {
    throw pluginError(`Score plugins: plugin "${plugin.name}" failed with`, cause);
  }
}

/**
 * The weighted sum of the scores of each slot: PreScore, Score and NormalizeScore.
 *
 * @throws Error if a score of a user's plugin is outside of 0 to 100
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
  const totals = new Float64Array(slots.length);
  const scores = new Float64Array(slots.length);
  measurePoint(meter, "Score", () => {
    for (const { plugin, weight, isForeign } of plugins) {
      if (skipped.has(plugin.name)) continue;
      scores.fill(0);
      const run = () => scoreBy(plugin, pod, nodes, state, slots, scores);
      if (!measurePlugin(meter, plugin, "Score", run)) continue;
      if (isForeign) requireInRange(scores, plugin.name);
      for (let i = 0; i < totals.length; i++) totals[i] = (totals[i] ?? 0) + weight * (scores[i] ?? 0);
    }
  });
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
