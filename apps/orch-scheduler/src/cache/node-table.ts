import type { core } from "@orchernetes/api";
import { HostPorts } from "./host-ports.ts";
import { ImageIndex } from "./image-index.ts";
import { type PodCount, PodCounts, type PodQuery } from "./pod-counts.ts";
import type { HostPort } from "./pod-demand.ts";
import type { PodInfo } from "./pod-info.ts";
import { RankedPods } from "./ranked-pods.ts";
import { type ResourceColumn, ResourceColumns } from "./resource-columns.ts";
import { searchOrder } from "./search-order.ts";
import { TaintSets } from "./taint-sets.ts";
import { TermCounts } from "./term-counts.ts";
import { Topologies, type Topology } from "./topology.ts";

/** Set in {@link NodeTable.flags} when the slot holds a node. */
export const PRESENT = 1;
/** spec.unschedulable. */
export const UNSCHEDULABLE = 2;

const INITIAL_CAPACITY = 64;

const grown = (array: Float64Array, size: number): Float64Array<ArrayBuffer> => {
  const larger = new Float64Array(size);
  larger.set(array);
  return larger;
};

function sameLabels(a: Readonly<Record<string, string>> = {}, b: Readonly<Record<string, string>> = {}): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && a[key] === b[key]);
}

/**
 * All nodes with the pods on them, as a struct of arrays.
 *
 * With thousands of nodes, filtering is bound by memory: an object per node would be a cache miss for each field, while
 * a filter over typed arrays reads consecutive numbers. A node is identified by its slot, the index in all arrays,
 * which it keeps until it is removed; a later node may get the slot.
 *
 * Pods on nodes that are not known yet are remembered and counted when the node appears: watches of pods and nodes are
 * independent, so either may come first.
 *
 * There is one thread, and a scheduling cycle is synchronous, so it sees one state from start to end without a copy
 * (upstream: snapshot). Arrays are replaced when the table grows: hold them during one cycle only.
 */
export class NodeTable {
  /** One past the highest slot ever in use; loops run to here and skip slots without {@link PRESENT}. */
  length = 0;
  flags = new Uint8Array(INITIAL_CAPACITY);
  /** Number of each node's taints in {@link taintSets}. */
  taintSet = new Uint32Array(INITIAL_CAPACITY);
  podCount = new Float64Array(INITIAL_CAPACITY);
  allowedPods = new Float64Array(INITIAL_CAPACITY);
  nonZeroCpu = new Float64Array(INITIAL_CAPACITY);
  nonZeroMemory = new Float64Array(INITIAL_CAPACITY);
  readonly #resources = new ResourceColumns(INITIAL_CAPACITY);
  /** Columns by resource. Only resources that some node offers have one. */
  readonly columns: ReadonlyMap<string, ResourceColumn> = this.#resources.byName;
  readonly cpu = this.#resources.cpu;
  readonly memory = this.#resources.memory;
  readonly taintSets = new TaintSets();
  /** The affinity terms of the pods on nodes. */
  readonly terms = new TermCounts();
  /**
   * Increased when a node is added, removed, or changes its labels. For caches of results that depend on labels only.
   */
  labelsVersion = 0;
  readonly images = new ImageIndex();

  readonly #nodes: (core.Node | undefined)[] = [];
  readonly #names: string[] = [];
  readonly #slots = new Map<string, number>();
  readonly #free: number[] = [];
  #revision = 0;
  readonly #podsOf = new Map<string, Map<string, PodInfo>>();
  /** By name of the node, as far as they were asked for. */
  readonly #rankedPods = new Map<string, RankedPods>();
  readonly #hostPorts = new HostPorts();
  /** Number of pods on nodes that use a claim, by its key. */
  readonly #claimUsers = new Map<string, number>();
  readonly #podCounts = new PodCounts();
  readonly #topologies = new Topologies();
  #order: Int32Array | undefined;
  #size = 0;

  /** Number of nodes. */
  get size(): number {
    return this.#size;
  }

  /** The slot of a node; undefined if it is not known. */
  slotOf(name: string): number | undefined {
    return this.#slots.get(name);
  }

  nameOf(slot: number): string {
    return this.#names[slot] ?? "";
  }

  nodeAt(slot: number): core.Node | undefined {
    return this.#nodes[slot];
  }

  /** Increases with each change of nodes and pods, also if it is undone later. */
  get revision(): number {
    return this.#revision;
  }

  /** Adds a node or applies its changes. */
  setNode(node: core.Node): void {
    this.#revision++;
    const name = node.metadata.name ?? "";
    const slot = this.#slots.get(name) ?? this.#takeSlot(name);
    const before = this.#nodes[slot];
    if (before === undefined || !sameLabels(before.metadata.labels, node.metadata.labels)) this.#labelsChanged();
    this.images.update(slot, before, node);
    this.#nodes[slot] = node;
    this.flags[slot] = PRESENT | (node.spec.unschedulable ? UNSCHEDULABLE : 0);
    // The new set is taken before the old one is dropped, so that an unchanged set keeps its number.
    const taken = this.taintSets.take(node.spec.taints ?? []);
    this.taintSets.drop(this.taintSet[slot] ?? 0);
    this.taintSet[slot] = taken;
    this.allowedPods[slot] = this.#resources.offer(slot, before, node, () => this.#placedPods());
  }

  /** Removes a node. Its pods stay remembered, and are counted again if it comes back. */
  removeNode(name: string): void {
    const slot = this.#slots.get(name);
    if (slot === undefined) return;
    this.#revision++;
    this.#rankedPods.delete(name);
    for (const info of this.#podsOf.get(name)?.values() ?? []) this.#count(slot, info, -1);
    this.images.update(slot, this.#nodes[slot], undefined);
    this.#resources.offer(slot, this.#nodes[slot], undefined, () => []);
    this.#slots.delete(name);
    this.#nodes[slot] = undefined;
    this.#names[slot] = "";
    this.flags[slot] = 0;
    this.taintSets.drop(this.taintSet[slot] ?? 0);
    this.taintSet[slot] = 0;
    this.#free.push(slot);
    this.#size--;
    this.#labelsChanged();
  }

  /** Counts a pod on a node; counting the same pod again (by key) replaces the previous count. */
  addPod(nodeName: string, info: PodInfo): void {
    this.#revision++;
    this.#rankedPods.delete(nodeName);
    let pods = this.#podsOf.get(nodeName);
    if (pods === undefined) {
      pods = new Map<string, PodInfo>();
      this.#podsOf.set(nodeName, pods);
    }
    const before = pods.get(info.key);
    const slot = this.#slots.get(nodeName);
    if (slot !== undefined && before !== undefined) this.#count(slot, before, -1);
    pods.set(info.key, info);
    if (slot !== undefined) this.#count(slot, info, 1);
  }

  /** Removes a pod from the count of a node; does nothing if it is not counted there. */
  removePod(nodeName: string, key: string): void {
    const pods = this.#podsOf.get(nodeName);
    const info = pods?.get(key);
    if (pods === undefined || info === undefined) return;
    this.#revision++;
    this.#rankedPods.delete(nodeName);
    pods.delete(key);
    if (pods.size === 0) this.#podsOf.delete(nodeName);
    const slot = this.#slots.get(nodeName);
    if (slot !== undefined) this.#count(slot, info, -1);
  }

  /** The nodes by slot, undefined for free slots; and the free slots, the last of which is used next. */
  get layout(): { readonly nodes: readonly (core.Node | undefined)[]; readonly free: readonly number[] } {
    return { nodes: this.#nodes.slice(0, this.length), free: [...this.#free] };
  }

  /** The pods by the name of their node, also those on nodes that are not known. In the order in which they were counted. */
  *placedPods(): Iterable<readonly [nodeName: string, pods: readonly PodInfo[]]> {
    for (const [name, pods] of this.#podsOf) yield [name, [...pods.values()]];
  }

  /** The number of pods on nodes, those on nodes that are not known yet included. */
  get pods(): number {
    let count = 0;
    for (const pods of this.#podsOf.values()) count += pods.size;
    return count;
  }

  /** The number of kinds of pods on nodes that selectors can distinguish. */
  get podKinds(): number {
    return this.#podCounts.kinds;
  }

  podsOn(nodeName: string): readonly PodInfo[] {
    return [...(this.#podsOf.get(nodeName)?.values() ?? [])];
  }

  /** The pods of a node by importance. It does not change with the node: the next call returns another one then. */
  rankedPods(nodeName: string): RankedPods {
    let ranked = this.#rankedPods.get(nodeName);
    if (ranked === undefined) {
      ranked = new RankedPods(this.#podsOf.get(nodeName)?.values() ?? []);
      this.#rankedPods.set(nodeName, ranked);
    }
    return ranked;
  }

  podOn(nodeName: string, key: string): PodInfo | undefined {
    return this.#podsOf.get(nodeName)?.get(key);
  }

  /** Whether one of the ports is in use on the node. */
  hasPortConflict(slot: number, ports: readonly HostPort[]): boolean {
    return this.#hostPorts.conflict(slot, ports);
  }

  /** The number of pods on known nodes that use a claim. */
  usersOfClaim(key: string): number {
    return this.#claimUsers.get(key) ?? 0;
  }

  /** The number of pods on each node that match a query. */
  countPods(query: PodQuery): PodCount {
    return this.#podCounts.of(query, this.flags.length);
  }

  /** The slots of nodes, in search order: zones alternate. */
  searchOrder(): Int32Array {
    this.#order ??= searchOrder(this.#nodes);
    return this.#order;
  }

  /** The values of a label over all nodes. */
  topology(key: string): Topology {
    return this.#topologies.of(key, this.length, (slot) => this.#nodes[slot]);
  }

  *#placedPods(): Iterable<readonly [number, PodInfo]> {
    for (const [name, slot] of this.#slots)
      for (const info of this.#podsOf.get(name)?.values() ?? []) yield [slot, info];
  }

  #labelsChanged(): void {
    this.labelsVersion++;
    this.#topologies.clear();
    this.#order = undefined;
  }

  #takeSlot(name: string): number {
    const slot = this.#free.pop() ?? this.length++;
    if (slot >= this.flags.length) this.#grow();
    this.#slots.set(name, slot);
    this.#names[slot] = name;
    this.#size++;
    this.podCount[slot] = 0;
    this.nonZeroCpu[slot] = 0;
    this.nonZeroMemory[slot] = 0;
    this.#resources.clearRequests(slot);
    this.#hostPorts.clear(slot);
    for (const info of this.#podsOf.get(name)?.values() ?? []) this.#count(slot, info, 1);
    return slot;
  }

  #grow(): void {
    const size = this.flags.length * 2;
    const flags = new Uint8Array(size);
    flags.set(this.flags);
    this.flags = flags;
    const taintSet = new Uint32Array(size);
    taintSet.set(this.taintSet);
    this.taintSet = taintSet;
    this.podCount = grown(this.podCount, size);
    this.allowedPods = grown(this.allowedPods, size);
    this.nonZeroCpu = grown(this.nonZeroCpu, size);
    this.nonZeroMemory = grown(this.nonZeroMemory, size);
    this.#resources.grow(size);
    this.#podCounts.grow(size);
  }

  /**
   * Counts a pod that is tried out on a node (1), or no longer (-1), in the amounts alone: `podCount`, what is requested of the
   * columns, and host ports. The caller has to end as it began, in the same turn of the event loop.
   *
   * @param count other numbers are for as many pods with this demand
   */
  tryPod(slot: number, { demand }: PodInfo, count: number): void {
    const { cpu, memory } = this;
    this.podCount[slot] = (this.podCount[slot] ?? 0) + count;
    cpu.requested[slot] = (cpu.requested[slot] ?? 0) + count * demand.cpu;
    memory.requested[slot] = (memory.requested[slot] ?? 0) + count * demand.memory;
    for (const [resource, amount] of demand.others) {
      const requested = this.columns.get(resource)?.requested;
      if (requested !== undefined) requested[slot] = (requested[slot] ?? 0) + count * amount;
    }
    if (demand.hostPorts.length > 0) this.#hostPorts.count(slot, demand.hostPorts, count);
  }

  /** Calls a function while pods count on nodes as if they were there. They are not among the pods of the nodes. */
  countingAlso<T>(pods: readonly (readonly [slot: number, info: PodInfo])[], call: () => T): T {
    for (const [slot, info] of pods) this.#count(slot, info, 1);
    try {
      return call();
    } finally {
      for (const [slot, info] of pods) this.#count(slot, info, -1);
    }
  }

  #count(slot: number, info: PodInfo, sign: 1 | -1): void {
    const { demand } = info;
    this.tryPod(slot, info, sign);
    this.nonZeroCpu[slot] = (this.nonZeroCpu[slot] ?? 0) + sign * demand.nonZeroCpu;
    this.nonZeroMemory[slot] = (this.nonZeroMemory[slot] ?? 0) + sign * demand.nonZeroMemory;
    for (const key of info.claims) {
      const users = this.usersOfClaim(key) + sign;
      if (users > 0) this.#claimUsers.set(key, users);
      else this.#claimUsers.delete(key);
    }
    this.#podCounts.count(slot, info.podClass, sign);
    this.terms.count(slot, info, sign);
  }
}
