import { type NodeTable, PRESENT } from "../cache/node-table.ts";
import { ClusterEvent, type ClusterEvents, type FilterPlugin } from "./interfaces.ts";
import type { PreparedFilter } from "./schedule-pod.ts";

/** Why a pod found no node. */
export interface Refusal {
  readonly type: "unschedulable";
  /** What users read in the event and the PodScheduled condition. */
  readonly message: string;
  /** Names of the plugins that refused a node. */
  readonly plugins: ReadonlySet<string>;
  /** What could help. */
  readonly events: ClusterEvents;
  /** Slots whose refusal evictions may turn around. */
  readonly candidates: readonly number[];
}

/** `1 Insufficient cpu, 2 node(s) were unschedulable`: how often each reason was given, in the order of the texts. */
export const histogram = (counts: ReadonlyMap<string, number>): string =>
  [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(", ");

/**
 * Asks every node for the reasons of the first plugin that refuses it, and counts them. Runs only when no node fits.
 *
 * @param rejection of a plugin that refused the pod before any node was looked at
 */
export function explainRefusal(
  prepared: readonly PreparedFilter[],
  nodes: NodeTable,
  rejection?: { readonly plugin: FilterPlugin; readonly rejected: string },
): Refusal {
  if (nodes.size === 0) {
    const events = ClusterEvent.NodeAdded;
    const message = "no nodes available to schedule pods";
    return { type: "unschedulable", message, plugins: new Set(), events, candidates: [] };
  }
  if (rejection !== undefined) {
    const { plugin, rejected } = rejection;
    const message = `0/${nodes.size} nodes are available: ${rejected}.`;
    return { type: "unschedulable", message, plugins: new Set([plugin.name]), events: plugin.events, candidates: [] };
  }
  const counts = new Map<string, number>();
  const plugins = new Set<string>();
  const candidates: number[] = [];
  let events: ClusterEvents = 0;
  for (let slot = 0; slot < nodes.length; slot++) {
    if (((nodes.flags[slot] ?? 0) & PRESENT) === 0) continue;
    for (const { plugin, filter } of prepared) {
      const first = filter.check(slot);
      if (first === 0) continue;
      let evictionHelps = true;
      for (const verdict of filter.checkAll?.(slot) ?? [first]) {
        const reason = filter.reasons[verdict - 1];
        const text = reason?.text ?? plugin.name;
        counts.set(text, (counts.get(text) ?? 0) + 1);
        if (reason?.evictionHelps !== true) evictionHelps = false;
      }
      if (evictionHelps) candidates.push(slot);
      plugins.add(plugin.name);
      events |= plugin.events;
      break;
    }
  }
  const message = `0/${nodes.size} nodes are available: ${histogram(counts)}.`;
  return { type: "unschedulable", message, plugins, events, candidates };
}
