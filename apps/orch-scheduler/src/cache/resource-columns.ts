import type { core } from "@orchernetes/api";
import { unitAmountOf } from "@orchernetes/component-helpers";
import type { PodInfo } from "./pod-info.ts";

/**
 * Most kinds of resources that a node may offer beside the usual ones, and that a pod may request. Nodes and pods have some ten. A
 * node agent that reports tens of thousands, or others each time, would fill the memory with columns, and a pod that requests
 * as many would be compared with each node as often.
 */
export const MAX_RESOURCES = 250;

const always: ReadonlySet<string> = new Set(["cpu", "memory", "pods", "ephemeral-storage"]);

/**
 * One resource of all nodes: what nodes offer, and what their pods request. A column of numbers per resource, so that a
 * filter reads memory in one sweep.
 */
export interface ResourceColumn {
  readonly name: string;
  allocatable: Float64Array;
  requested: Float64Array;
  /** Number of nodes that offer the resource. */
  offers: number;
}

type Offered = ReadonlyMap<string, number>;
const nothing: Offered = new Map();
/** Nodes of one kind share what they offer. */
const known = new WeakMap<object, Offered>();

/** What a node offers, without what exceeds {@link MAX_RESOURCES}. @throws QuantityError */
function offeredBy(node: core.Node | undefined): Offered {
  const allocatable = node?.status.allocatable;
  if (allocatable === undefined) return nothing;
  const before = known.get(allocatable);
  if (before !== undefined) return before;
  const offered = new Map<string, number>();
  let others = 0;
  for (const [resource, quantity] of Object.entries(allocatable))
    if (always.has(resource) || ++others <= MAX_RESOURCES) offered.set(resource, unitAmountOf(resource, quantity));
  known.set(allocatable, offered);
  return offered;
}

const enlarged = (array: Float64Array, size: number): Float64Array<ArrayBuffer> => {
  const larger = new Float64Array(size);
  larger.set(array);
  return larger;
};

/**
 * The columns by resource. Only resources that some node offers have one, so that pods cannot make the table grow. Those of CPU
 * and memory are always there.
 */
export class ResourceColumns {
  readonly #columns = new Map<string, ResourceColumn>();
  #size: number;
  readonly cpu: ResourceColumn;
  readonly memory: ResourceColumn;

  /** @param size number of slots */
  constructor(size: number) {
    this.#size = size;
    this.cpu = this.#add("cpu");
    this.memory = this.#add("memory");
  }

  get byName(): ReadonlyMap<string, ResourceColumn> {
    return this.#columns;
  }

  #add(name: string): ResourceColumn {
    const arrays = { allocatable: new Float64Array(this.#size), requested: new Float64Array(this.#size) };
    const column = { name, ...arrays, offers: 0 };
    this.#columns.set(name, column);
    return column;
  }

  /**
   * Replaces what the node in a slot offers. A column that no node offers any more is removed.
   *
   * @param before its previous version; undefined: it is added
   * @param after undefined: it was removed
   * @param placed the pods on nodes; read once if there are new resources, however many those are
   * @returns the number of pods that the node accepts
   */
  offer(
    slot: number,
    before: core.Node | undefined,
    after: core.Node | undefined,
    placed: () => Iterable<readonly [slot: number, PodInfo]>,
  ): number {
    const withdrawn = offeredBy(before);
    const offered = offeredBy(after);
    const added = new Set<string>();
    for (const [name, amount] of offered) {
      if (name === "pods") continue;
      const present = this.#columns.get(name);
      const column = present ?? this.#add(name);
      if (present === undefined) added.add(name);
      if (!withdrawn.has(name)) column.offers++;
      column.allocatable[slot] = amount;
    }
    for (const name of withdrawn.keys()) if (!offered.has(name)) this.#withdraw(name, slot);
    if (added.size > 0) this.#countRequests(added, placed());
    return offered.get("pods") ?? 0;
  }

  #withdraw(name: string, slot: number): void {
    const column = this.#columns.get(name);
    if (column === undefined) return;
    column.allocatable[slot] = 0;
    if (--column.offers === 0 && column !== this.cpu && column !== this.memory) this.#columns.delete(name);
  }

  /** Pods that request a resource may precede the first node that offers it. */
  #countRequests(added: ReadonlySet<string>, placed: Iterable<readonly [number, PodInfo]>): void {
    for (const [slot, { demand }] of placed)
      for (const [name, amount] of demand.others) {
        const requested = added.has(name) ? this.#columns.get(name)?.requested : undefined;
        if (requested !== undefined) requested[slot] = (requested[slot] ?? 0) + amount;
      }
  }

  /** Forgets what the pods of a slot's earlier node requested. */
  clearRequests(slot: number): void {
    for (const column of this.#columns.values()) column.requested[slot] = 0;
  }

  /** Makes room for more slots. */
  grow(size: number): void {
    this.#size = size;
    for (const column of this.#columns.values()) {
      column.allocatable = enlarged(column.allocatable, size);
      column.requested = enlarged(column.requested, size);
    }
  }
}
