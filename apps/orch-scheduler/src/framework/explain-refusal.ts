import type { NodeTable } from "../cache/node-table.ts";
import { type Rejector, rejectorOf } from "./cluster-change.ts";
import { ClusterEvent, type ClusterEvents, type Reason } from "./interfaces.ts";
import { type NodeRefusal, type PodFilters, refusalFor } from "./pod-filters.ts";
import type { Rejection } from "./prepare-filters.ts";

/** Why a pod found no node. */
export interface Refusal {
  readonly type: "unschedulable";
  /** Text of the event and of the PodScheduled condition. */
  readonly message: string;
  /** The plugins that rejected nodes, or the pod as a whole, each once. */
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
export const histogram = (counts: ReadonlyMap<string, number>): string =>
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
export function explainRejection({ plugin, rejected, others = [] }: Rejection, nodes: NodeTable): Refusal {
  if (nodes.size === 0) return noNodes;
  const message = `0/${nodes.size} nodes are available: ${rejected}.`;
  return { type: "unschedulable", message, ...together([...others, plugin].map(rejectorOf)), candidates: [] };
}

/** Why an extender rejects a node. */
export interface ForeignReason extends Reason {
  /** Name of the extender. */
  readonly by: string;
}

/** Nodes that are rejected for the same reasons. */
interface Rejected {
  readonly refusal: NodeRefusal;
  readonly evictionHelps: boolean;
  nodes: number;
}

/** What check results of a filter mean, by the bits of the results; results beyond have a refusal of their own each time. */
const MAX_BIT = 30;

/**
 * Groups rejected nodes by the first plugin that rejects them and its reasons. There are as many nodes as the cluster has, and few
 * groups, so what is said about a group is made once.
 */
class RejectedNodes {
  readonly #filters: PodFilters;
  readonly #groups: Rejected[] = [];
  /** By index of the filter, and the bits of its results. */
  readonly #known: Map<number, Rejected>[] = [];

  constructor(filters: PodFilters) {
    this.#filters = filters;
  }

  get groups(): readonly Rejected[] {
    return this.#groups;
  }

  /** Counts a node; undefined if it passes all filters. */
  add(slot: number): Rejected | undefined {
    const filters = this.#filters;
    if (filters.hasNominated(slot)) return this.#count(this.#make(filters.refusalOf(slot)));
    const index = filters.firstRejecting(slot);
    const prepared = filters.filterAt(index);
    if (prepared === undefined) return undefined;
    const { filter } = prepared;
    const verdicts = filter.checkAll?.(slot);
    const verdict = verdicts === undefined ? filter.check(slot) : 0;
    const bits = verdicts === undefined ? bitOf(verdict) : verdicts.reduce((sum, one) => sum | bitOf(one), 0);
    // Bit 0 is set by a result that has no bit of its own.
    if (bits & 1) return this.#count(this.#make(refusalFor(prepared, verdicts ?? [verdict])));
    let known = this.#known[index];
    if (known === undefined) {
      known = new Map();
      this.#known[index] = known;
    }
    let group = known.get(bits);
    if (group === undefined) {
      group = this.#make(refusalFor(prepared, verdicts ?? [verdict]));
      if (group !== undefined) known.set(bits, group);
    }
    return this.#count(group);
  }

  #make(refusal: NodeRefusal | undefined): Rejected | undefined {
    if (refusal === undefined) return undefined;
    const evictionHelps = refusal.reasons.every((reason) => reason.evictionHelps);
    const group: Rejected = { refusal, evictionHelps, nodes: 0 };
    this.#groups.push(group);
    return group;
  }

  #count(group: Rejected | undefined): Rejected | undefined {
    if (group !== undefined) group.nodes++;
    return group;
  }
}

const bitOf = (verdict: number): number => (verdict > 0 && verdict <= MAX_BIT ? 1 << verdict : 1);

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
  const rejected = new RejectedNodes(filters);
  const counts = new Map<string, number>();
  const rejectors = new Map<string, Rejector>();
  const candidates: number[] = [];
  for (const slot of order) {
    const group = rejected.add(slot);
    if (group === undefined) {
      const other = foreign?.(slot);
      if (other === undefined) continue;
      counts.set(other.text, (counts.get(other.text) ?? 0) + 1);
      if (other.evictionHelps) candidates.push(slot);
      if (!rejectors.has(other.by)) rejectors.set(other.by, rejectorOf({ name: other.by }));
      continue;
    }
    if (group.evictionHelps) candidates.push(slot);
    const { plugin } = group.refusal;
    if (group.nodes === 1 && !rejectors.has(plugin.name)) rejectors.set(plugin.name, rejectorOf(plugin));
  }
  for (const { refusal, nodes: number } of rejected.groups)
    for (const { text } of refusal.reasons) counts.set(text, (counts.get(text) ?? 0) + number);
  const message = `0/${nodes.size} nodes are available: ${histogram(counts)}.`;
  return { type: "unschedulable", message, ...together([...rejectors.values()]), candidates };
}

const together = (rejectors: readonly Rejector[]): Pick<Refusal, "rejectors" | "events"> => {
  let all: ClusterEvents = 0;
  for (const { events } of rejectors) all |= events;
  return { rejectors, events: all };
};
