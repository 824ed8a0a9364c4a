import type { NodeTable } from "../cache/node-table.ts";
import { type Nominations, noNominations } from "../cache/nominated-pods.ts";
import type { PodInfo } from "../cache/pod-info.ts";
import { chooseBest, totalScores } from "./choose-best.ts";
import type { CycleMeter, PointStatus } from "./cycle-meter.ts";
import type { CycleState } from "./cycle-state.ts";
import { explainRefusal, explainRejection, type Refusal } from "./explain-refusal.ts";
import { measurePoint } from "./measure.ts";
import { PodFilters } from "./pod-filters.ts";
import type { Rejection } from "./prepare-filters.ts";
import type { Profile } from "./profile.ts";

/** The node of a pod, or why no node fits. */
export type Verdict = Placement | Refusal;

/** A node was chosen. */
export interface Placement {
  readonly type: "node";
  readonly slot: number;
  /** Number of examined nodes. */
  readonly evaluated: number;
  /** Number of feasible nodes among them. */
  readonly feasible: number;
  /** Where the search of the next pod should begin. */
  readonly next: number;
  /** What plugins wrote, for the points that follow. */
  readonly state: CycleState;
}

/** A search ends only after this many feasible nodes, however low the percentage. */
const MIN_FEASIBLE = 100;
const MIN_PERCENTAGE = 5;

/**
 * Number of feasible nodes after which a search ends: all of them in small clusters, and from 50 % down to 5 % in large
 * ones (upstream: `numFeasibleNodesToFind`). Scoring further nodes would rarely find a better one.
 *
 * @param percentageToScore of the configuration, 1–100; 0: by the size of the cluster
 */
export function enoughNodes(nodes: number, percentageToScore = 0): number {
  if (nodes < MIN_FEASIBLE || percentageToScore >= 100) return nodes;
  const percentage = percentageToScore || Math.max(50 - Math.floor(nodes / 125), MIN_PERCENTAGE);
  return Math.max(Math.floor((nodes * percentage) / 100), MIN_FEASIBLE);
}

/** Input of one scheduling cycle. */
export interface CycleOptions {
  /** Index in the search order where the search begins, so that successive pods examine different nodes first. */
  readonly start: number;
  /** Random numbers in [0, 1), for ties. */
  readonly random: () => number;
  /** Nominated node of the pod; chosen if it passes. @default "" for none */
  readonly nominatedNode?: string;
  /** Nominated pods that room must be left for. @default none */
  readonly nominations?: Nominations;
  /** Receives how long the parts of the cycle take. @default nothing is measured */
  readonly meter?: CycleMeter | undefined;
}

/**
 * One scheduling cycle: filter, score, select. A pure function of the table's current state; it has no effects.
 *
 * A nominated node is tried first and taken if it passes: its victims were evicted for this pod.
 */
export function schedulePod(pod: PodInfo, nodes: NodeTable, profile: Profile, options: CycleOptions): Verdict {
  const { random, meter } = options;
  const search = findNodes(pod, nodes, profile, options);
  if (search.type === "unschedulable") return search;
  const { slots, evaluated, next, state } = search;
  const slot =
    slots.length === 1
      ? (slots[0] ?? 0)
      : chooseBest(slots, totalScores(pod, nodes, profile, slots, state, meter), random);
  return { type: "node", slot, evaluated, feasible: slots.length, next, state };
}

/** The nodes that a pod fits. */
export interface FeasibleNodes {
  readonly type: "feasible";
  /** Not empty. */
  readonly slots: Int32Array;
  /** Number of examined nodes. */
  readonly evaluated: number;
  /** Where the search of the next pod should begin. */
  readonly next: number;
  readonly state: CycleState;
}

/** The first half of a scheduling cycle, PreFilter and Filter: enough nodes that the pod fits, or why there is none. */
export function findNodes(
  pod: PodInfo,
  nodes: NodeTable,
  profile: Profile,
  { start, nominatedNode = "", nominations = noNominations, meter }: CycleOptions,
): FeasibleNodes | Refusal {
  const prepare = () => PodFilters.prepare(pod, nodes, profile, nominations, meter);
  const filters = measurePoint(meter, "PreFilter", prepare, preFilterStatus);
  if ("rejected" in filters) return explainRejection(filters, nodes);
  const { state, nodeNames } = filters;
  const nominated = nominatedNode === "" ? undefined : nodes.slotOf(nominatedNode);
  const tried = nominated !== undefined && isAllowed(nominatedNode, nodeNames) ? 1 : 0;
  if (nominated !== undefined && tried === 1 && passesNominated(filters, nominated, meter)) {
    if (meter !== undefined) filters.countCalls(tried, meter);
    return { type: "feasible", slots: Int32Array.of(nominated), evaluated: 1, next: start, state };
  }
  const order = nodeNames === undefined ? nodes.searchOrder() : slotsOf(nodeNames, nodes);
  const search = () => findFeasible(filters, order, start, profile.percentageOfNodesToScore);
  const { slots, evaluated, next } = measurePoint(meter, "Filter", search);
  if (meter !== undefined) {
    filters.countCalls(tried + evaluated, meter);
    const first = order[start < order.length ? start : 0];
    if (meter.measuresPlugins && first !== undefined) filters.measure(first, meter);
  }
  if (slots.length === 0) return explainRefusal(filters, nodes, order.length === 0 ? nodes.searchOrder() : order);
  // The place of a search among few nodes says nothing about the search order of all.
  return { type: "feasible", slots, evaluated, next: nodeNames === undefined ? next : start, state };
}

/** As upstream: nodes on which the plugins do not agree are not unresolvable. */
function preFilterStatus(filters: PodFilters | Rejection): PointStatus {
  if (!("rejected" in filters)) return "Success";
  return filters.others === undefined ? "UnschedulableAndUnresolvable" : "Unschedulable";
}

/** Whether the nominated node passes. As upstream, an error does not end the cycle: the search that follows may examine the node again. */
function passesNominated(filters: PodFilters, slot: number, meter: CycleMeter | undefined): boolean {
  try {
    return measurePoint(meter, "Filter", () => filters.passes(slot));
  } catch {
    return false;
  }
}

const isAllowed = (name: string, names: ReadonlySet<string> | undefined): boolean =>
  names === undefined || names.has(name);

/** The slots of those of the nodes that exist. */
function slotsOf(names: ReadonlySet<string>, nodes: NodeTable): Int32Array {
  const slots: number[] = [];
  for (const name of names) {
    const slot = nodes.slotOf(name);
    if (slot !== undefined) slots.push(slot);
  }
  return Int32Array.from(slots);
}

/** Examines nodes from `start` on until enough of them are feasible. @throws Error that names the plugin whose filter fails */
function findFeasible(
  filters: PodFilters,
  order: Int32Array,
  start: number,
  percentageToScore: number,
): { readonly slots: Int32Array; readonly evaluated: number; readonly next: number } {
  const enough = enoughNodes(order.length, percentageToScore);
  const slots = new Int32Array(enough);
  let count = 0;
  let evaluated = 0;
  let place = start < order.length ? start : 0;
  try {
    for (; evaluated < order.length && count < enough; evaluated++) {
      const slot = order[place] ?? 0;
      if (filters.passes(slot)) slots[count++] = slot;
      if (++place === order.length) place = 0;
    }
  } catch (cause) {
    throw filters.failure(order[place] ?? 0, cause);
  }
  return { slots: slots.subarray(0, count), evaluated, next: place };
}
