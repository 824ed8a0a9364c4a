import { type NodeTable, PRESENT } from "../cache/node-table.ts";
import type { PodInfo } from "../cache/pod-info.ts";
import { chooseBest } from "./choose-best.ts";
import { explainRefusal, type Refusal } from "./explain-refusal.ts";
import type { FilterPlugin, NodeFilter } from "./interfaces.ts";
import type { Profile } from "./profile.ts";

/** Where a pod goes, or why nowhere. */
export type Verdict = Placement | Refusal;

/** A node was chosen. */
export interface Placement {
  readonly type: "node";
  readonly slot: number;
  /** Nodes looked at. */
  readonly evaluated: number;
  /** Nodes that would have done, as far as was looked. */
  readonly feasible: number;
  /** Where the next pod's search should begin. */
  readonly next: number;
}

/** A plugin that has something to check, with its check. */
export interface PreparedFilter {
  readonly plugin: FilterPlugin;
  readonly filter: NodeFilter;
}

/** Never fewer than this many feasible nodes are looked for. */
const MIN_FEASIBLE = 100;
const MIN_PERCENTAGE = 5;

/**
 * How many feasible nodes are enough: all in small clusters, from 50% down to 5% of large ones.
 *
 * @param percentageToScore of the configuration, 1–100; 0 chooses by the size of the cluster
 */
export function enoughNodes(nodes: number, percentageToScore = 0): number {
  if (nodes < MIN_FEASIBLE || percentageToScore >= 100) return nodes;
  const percentage = percentageToScore || Math.max(50 - Math.floor(nodes / 125), MIN_PERCENTAGE);
  return Math.max(Math.floor((nodes * percentage) / 100), MIN_FEASIBLE);
}

/** The filters of a profile that have something to check of a pod, or the plugin that refuses it outright. */
export function prepareFilters(
  pod: PodInfo,
  nodes: NodeTable,
  profile: Profile,
): readonly PreparedFilter[] | { readonly plugin: FilterPlugin; readonly rejected: string } {
  const prepared: PreparedFilter[] = [];
  for (const plugin of profile.filters) {
    const filter = plugin.prepare(pod, nodes);
    if (filter === undefined) continue;
    if ("rejected" in filter) return { plugin, rejected: filter.rejected };
    prepared.push({ plugin, filter });
  }
  return prepared;
}

/** Whether a node passes every filter. */
export function passes(prepared: readonly PreparedFilter[], slot: number): boolean {
  for (let p = 0; p < prepared.length; p++) if (prepared[p]?.filter.check(slot) !== 0) return false;
  return true;
}

/**
 * One scheduling cycle: filter, score, choose. Pure over the table's present state; `start` is where the search begins, so
 * that successive pods look at different nodes first. Ties are broken by `random` in [0, 1). `nominatedNode`, on which
 * room was made for the pod, is taken if it passes.
 */
export function schedulePod(
  pod: PodInfo,
  nodes: NodeTable,
  profile: Profile,
  start: number,
  random: () => number,
  nominatedNode = "",
): Verdict {
  const prepared = prepareFilters(pod, nodes, profile);
  if ("rejected" in prepared) return explainRefusal([], nodes, prepared);
  const nominated = nominatedNode === "" ? undefined : nodes.slotOf(nominatedNode);
  if (nominated !== undefined && passes(prepared, nominated))
    return { type: "node", slot: nominated, evaluated: 1, feasible: 1, next: start };
  const { slots, evaluated, next } = findFeasible(prepared, nodes, start, profile.percentageOfNodesToScore);
  if (slots.length === 0) return explainRefusal(prepared, nodes);
  const slot = slots.length === 1 ? (slots[0] ?? 0) : chooseBest(pod, nodes, profile.scores, slots, random);
  return { type: "node", slot, evaluated, feasible: slots.length, next };
}

function findFeasible(
  prepared: readonly PreparedFilter[],
  nodes: NodeTable,
  start: number,
  percentageToScore: number,
): { readonly slots: Int32Array; readonly evaluated: number; readonly next: number } {
  const { length, flags } = nodes;
  const enough = enoughNodes(nodes.size, percentageToScore);
  const slots = new Int32Array(enough);
  let count = 0;
  let evaluated = 0;
  let slot = start < length ? start : 0;
  for (let i = 0; i < length && count < enough; i++) {
    if (((flags[slot] ?? 0) & PRESENT) !== 0) {
      evaluated++;
      if (passes(prepared, slot)) slots[count++] = slot;
    }
    if (++slot === length) slot = 0;
  }
  return { slots: slots.subarray(0, count), evaluated, next: slot };
}
