import type { NodeTable } from "../cache/node-table.ts";
import type { Rejector } from "./cluster-change.ts";
import { ClusterEvent, type ClusterEvents } from "./interfaces.ts";
import type { PodFilters, Rejection } from "./pod-filters.ts";

/** Why a pod found no node. */
export interface Refusal {
  readonly type: "unschedulable";
  /** Text of the event and of the PodScheduled condition. */
  readonly message: string;
  /** What rejected nodes, or the pod as a whole: the plugins, each once. */
  readonly rejectors: readonly Rejector[];
  /** Events that could make the pod schedulable: those of the rejectors together. */
  readonly events: ClusterEvents;
  /** Slots on which evictions could make the pod schedulable. */
  readonly candidates: readonly number[];
}

/**
 * `1 Insufficient cpu, 2 node(s) were unschedulable`: the number of nodes for each reason, sorted as text. As upstream,
 * whose messages users search for.
 */
const histogram = (counts: ReadonlyMap<string, number>): string =>
  [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .sort()
    .join(", ");

const noNodes: Refusal = {
  type: "unschedulable",
  message: "no nodes available to schedule pods",
  rejectors: [{ name: "", events: ClusterEvent.NodeAdded }],
  events: ClusterEvent.NodeAdded,
  candidates: [],
};

/** The refusal of a pod that a plugin rejected without examining nodes. */
export function explainRejection({ plugin, rejected }: Rejection, nodes: NodeTable): Refusal {
  if (nodes.size === 0) return noNodes;
  const message = `0/${nodes.size} nodes are available: ${rejected}.`;
  return { type: "unschedulable", message, rejectors: [plugin], events: plugin.events, candidates: [] };
}

/** Collects the reasons of the first plugin that rejects each node, and counts them. Runs only when no node fits. */
export function explainRefusal(filters: PodFilters, nodes: NodeTable): Refusal {
  if (nodes.size === 0) return noNodes;
  const counts = new Map<string, number>();
  const rejectors = new Set<Rejector>();
  const candidates: number[] = [];
  let events: ClusterEvents = 0;
  for (const slot of nodes.searchOrder()) {
    const refusal = filters.refusalOf(slot);
    if (refusal === undefined) continue;
    const { plugin, reasons } = refusal;
    for (const { text } of reasons) counts.set(text, (counts.get(text) ?? 0) + 1);
    if (reasons.every(({ evictionHelps }) => evictionHelps)) candidates.push(slot);
    rejectors.add(plugin);
    events |= plugin.events;
  }
  const message = `0/${nodes.size} nodes are available: ${histogram(counts)}.`;
  return { type: "unschedulable", message, rejectors: [...rejectors], events, candidates };
}
