import type { NodeTable } from "../cache/node-table.ts";
import { type Rejector, rejectorOf } from "./cluster-change.ts";
import { ClusterEvent, type ClusterEvents, type Reason } from "./interfaces.ts";
import type { PodFilters } from "./pod-filters.ts";
import type { Rejection } from "./prepare-filters.ts";

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
  const rejector = rejectorOf(plugin);
  return { type: "unschedulable", message, rejectors: [rejector], events: rejector.events, candidates: [] };
}

/** Why an extender rejects a node. */
export interface ForeignReason extends Reason {
  /** Name of the extender. */
  readonly by: string;
}

/**
 * Collects the reasons of the first plugin that rejects each node, and counts them. Runs only when no node fits.
 *
 * @param order the slots that were examined
 * @param foreign why others than plugins reject a node that all plugins accept
 */
export function explainRefusal(
  filters: PodFilters,
  nodes: NodeTable,
  order: Int32Array,
  foreign?: (slot: number) => ForeignReason | undefined,
): Refusal {
  if (nodes.size === 0) return noNodes;
  const counts = new Map<string, number>();
  const rejectors = new Map<string, Rejector>();
  const candidates: number[] = [];
  for (const slot of order) {
    const refusal = filters.refusalOf(slot);
    if (refusal === undefined) {
      const other = foreign?.(slot);
      if (other === undefined) continue;
      counts.set(other.text, (counts.get(other.text) ?? 0) + 1);
      if (other.evictionHelps) candidates.push(slot);
      if (!rejectors.has(other.by)) rejectors.set(other.by, rejectorOf({ name: other.by }));
      continue;
    }
    const { plugin, reasons } = refusal;
    for (const { text } of reasons) counts.set(text, (counts.get(text) ?? 0) + 1);
    if (reasons.every(({ evictionHelps }) => evictionHelps)) candidates.push(slot);
    if (!rejectors.has(plugin.name)) rejectors.set(plugin.name, rejectorOf(plugin));
  }
  const message = `0/${nodes.size} nodes are available: ${histogram(counts)}.`;
  return { type: "unschedulable", message, ...together([...rejectors.values()]), candidates };
}

const together = (rejectors: readonly Rejector[]): Pick<Refusal, "rejectors" | "events"> => {
  let all: ClusterEvents = 0;
  for (const { events } of rejectors) all |= events;
  return { rejectors, events: all };
};
