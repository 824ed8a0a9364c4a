import { type NodeTable, PRESENT } from "../cache/node-table.ts";
import type { PodInfo } from "../cache/pod-info.ts";
import type { ClusterEvents, FilterPlugin, NodeFilter } from "./interfaces.ts";
import type { Profile } from "./profile.ts";

/** Where a pod goes, or why nowhere. */
export type Verdict =
  | { readonly type: "node"; readonly slot: number; readonly evaluated: number; readonly feasible: number }
  | {
      readonly type: "unschedulable";
      /** What users read in the event and the PodScheduled condition. */
      readonly message: string;
      /** Plugins that refused a node. */
      readonly plugins: ReadonlySet<string>;
      /** What could help. */
      readonly events: ClusterEvents;
    };

/** Never fewer than this many feasible nodes are looked for. */
const MIN_FEASIBLE = 100;
const MIN_PERCENTAGE = 5;

/** How many feasible nodes are enough: all in small clusters, from 50% down to 5% of large ones. */
export function enoughNodes(nodes: number): number {
  if (nodes < MIN_FEASIBLE) return nodes;
  const percentage = Math.max(50 - Math.floor(nodes / 125), MIN_PERCENTAGE);
  return Math.max(Math.floor((nodes * percentage) / 100), MIN_FEASIBLE);
}

interface Prepared {
  readonly plugin: FilterPlugin;
  readonly filter: NodeFilter;
}

/**
 * One scheduling cycle: filter, score, choose. Pure over the table's present state; `start` is where the search begins, so
 * that successive pods look at different nodes first. Ties are broken by `random` in [0, 1).
 */
export function schedulePod(
  pod: PodInfo,
  nodes: NodeTable,
  profile: Profile,
  start: number,
  random: () => number,
): Verdict {
  const prepared: Prepared[] = [];
  for (const plugin of profile.filters) {
    const filter = plugin.prepare(pod, nodes);
    if (filter !== undefined) prepared.push({ plugin, filter });
  }
  const found = findFeasible(prepared, nodes, start);
  if (found.slots.length === 0) return explain(prepared, nodes);
  const slot = found.slots.length === 1 ? (found.slots[0] ?? 0) : best(pod, nodes, profile, found.slots, random);
  return { type: "node", slot, evaluated: found.evaluated, feasible: found.slots.length };
}

function findFeasible(
  prepared: readonly Prepared[],
  nodes: NodeTable,
  start: number,
): { readonly slots: Int32Array; readonly evaluated: number } {
  const { length, flags } = nodes;
  const enough = enoughNodes(nodes.size);
  const slots = new Int32Array(enough);
  let count = 0;
  let evaluated = 0;
  for (let i = 0; i < length && count < enough; i++) {
    const slot = (start + i) % length;
    if (((flags[slot] ?? 0) & PRESENT) === 0) continue;
    evaluated++;
    let passes = true;
    for (let p = 0; passes && p < prepared.length; p++) passes = prepared[p]?.filter.check(slot) === 0;
    if (passes) slots[count++] = slot;
  }
  return { slots: slots.subarray(0, count), evaluated };
}

function best(pod: PodInfo, nodes: NodeTable, profile: Profile, slots: Int32Array, random: () => number): number {
  const totals = new Float64Array(slots.length);
  for (const plugin of profile.scores) {
    const score = plugin.prepare(pod, nodes, slots);
    if (score === undefined) continue;
    for (let i = 0; i < slots.length; i++) totals[i] = (totals[i] ?? 0) + plugin.weight * score(slots[i] ?? 0);
  }
  let chosen = slots[0] ?? 0;
  let highest = totals[0] ?? 0;
  let ties = 1;
  for (let i = 1; i < slots.length; i++) {
    const total = totals[i] ?? 0;
    if (total > highest) {
      highest = total;
      chosen = slots[i] ?? 0;
      ties = 1;
    } else if (total === highest && random() * ++ties < 1) chosen = slots[i] ?? 0;
  }
  return chosen;
}

/** Counts the first reason of every node. Runs only when no node fits. */
function explain(prepared: readonly Prepared[], nodes: NodeTable): Verdict {
  const counts = new Map<string, number>();
  const plugins = new Set<string>();
  let events: ClusterEvents = 0;
  for (let slot = 0; slot < nodes.length; slot++) {
    if (((nodes.flags[slot] ?? 0) & PRESENT) === 0) continue;
    for (const { plugin, filter } of prepared) {
      const verdict = filter.check(slot);
      if (verdict === 0) continue;
      const reason = filter.reasons[verdict - 1] ?? plugin.name;
      counts.set(reason, (counts.get(reason) ?? 0) + 1);
      plugins.add(plugin.name);
      events |= plugin.events;
      break;
    }
  }
  const texts = [...counts].map(([reason, count]) => `${count} ${reason}`).sort();
  const message =
    nodes.size === 0 ? "0/0 nodes are available." : `0/${nodes.size} nodes are available: ${texts.join(", ")}.`;
  // Without nodes only a new one helps.
  return {
    type: "unschedulable",
    message: nodes.size === 0 ? "no nodes available to schedule pods" : message,
    plugins,
    events: nodes.size === 0 ? 1 : events,
  };
}
