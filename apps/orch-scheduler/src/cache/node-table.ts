import type { core } from "@orchernetes/api";
import { Interner } from "./interner.ts";
import type { HostPort, PodInfo } from "./pod-info.ts";
import { amountOf } from "./pod-requests.ts";

/** A resource's numbers for all nodes; one column each so that a filter reads memory in one sweep. */
export interface ResourceColumn {
  readonly name: string;
  allocatable: Float64Array;
  requested: Float64Array;
}

/** Set when the slot holds a node. */
export const PRESENT = 1;
/** spec.unschedulable. */
export const UNSCHEDULABLE = 2;

const INITIAL_CAPACITY = 64;

const grown = (array: Float64Array, size: number): Float64Array<ArrayBuffer> => {
  const larger = new Float64Array(size);
  larger.set(array);
  return larger;
};

/** Taints decide as a set: nodes with the same ones share a number. */
function taintSetText(taints: readonly core.Taint[]): string {
  return JSON.stringify(taints.map(({ key, value, effect }) => [key, value ?? "", effect]).sort());
}

/**
 * All nodes as a struct of arrays. A node keeps its slot until it is removed; pods on nodes that are not known (yet) are
 * remembered and counted once the node appears. Single-threaded: a scheduling cycle sees one state from start to end.
 */
export class NodeTable {
  /** One past the highest slot in use; loops run to here and skip slots without {@link PRESENT}. */
  length = 0;
  flags = new Uint8Array(INITIAL_CAPACITY);
  taintSet = new Uint32Array(INITIAL_CAPACITY);
  podCount = new Float64Array(INITIAL_CAPACITY);
  allowedPods = new Float64Array(INITIAL_CAPACITY);
  nonZeroCpu = new Float64Array(INITIAL_CAPACITY);
  nonZeroMemory = new Float64Array(INITIAL_CAPACITY);
  readonly columns = new Map<string, ResourceColumn>();
  readonly cpu = this.#column("cpu");
  readonly memory = this.#column("memory");
  /** Changes whenever a node comes, goes, or changes its labels: what caches per-selector results. */
  labelsVersion = 0;

  readonly #taintSets = new Interner();
  readonly #taints: (readonly core.Taint[])[] = [];
  readonly #nodes: (core.Node | undefined)[] = [];
  readonly #names: string[] = [];
  readonly #slots = new Map<string, number>();
  readonly #free: number[] = [];
  readonly #podsOf = new Map<string, Map<string, PodInfo>>();
  readonly #hostPorts: (Map<string, number> | undefined)[] = [];
  #size = 0;

  constructor() {
    this.#intern([]);
  }

  /** How many nodes there are. */
  get size(): number {
    return this.#size;
  }

  slotOf(name: string): number | undefined {
    return this.#slots.get(name);
  }

  nameOf(slot: number): string {
    return this.#names[slot] ?? "";
  }

  nodeAt(slot: number): core.Node | undefined {
    return this.#nodes[slot];
  }

  /** The taints that a number of {@link taintSet} stands for. */
  taintsOf(set: number): readonly core.Taint[] {
    return this.#taints[set] ?? [];
  }

  get taintSetCount(): number {
    return this.#taintSets.size;
  }

  /** Adds a node or takes over its changes. */
  setNode(node: core.Node): void {
    const name = node.metadata.name ?? "";
    let slot = this.#slots.get(name);
    const before = slot === undefined ? undefined : this.#nodes[slot];
    if (slot === undefined) slot = this.#takeSlot(name);
    if (before === undefined || JSON.stringify(before.metadata.labels) !== JSON.stringify(node.metadata.labels))
      this.labelsVersion++;
    this.#nodes[slot] = node;
    this.flags[slot] = PRESENT | (node.spec.unschedulable ? UNSCHEDULABLE : 0);
    this.taintSet[slot] = this.#intern(node.spec.taints ?? []);
    const allocatable = node.status.allocatable ?? {};
    for (const column of this.columns.values()) column.allocatable[slot] = 0;
    this.allowedPods[slot] = 0;
    for (const [resource, quantity] of Object.entries(allocatable)) {
      const amount = amountOf(resource, quantity);
      if (resource === "pods") this.allowedPods[slot] = amount;
      else this.#column(resource).allocatable[slot] = amount;
    }
  }

  removeNode(name: string): void {
    const slot = this.#slots.get(name);
    if (slot === undefined) return;
    this.#slots.delete(name);
    this.#nodes[slot] = undefined;
    this.flags[slot] = 0;
    this.#free.push(slot);
    this.#size--;
    this.labelsVersion++;
  }

  /** Counts a pod on a node; the same pod again (by key) replaces what was counted. */
  addPod(nodeName: string, info: PodInfo): void {
    const pods = this.#podsOf.get(nodeName) ?? new Map<string, PodInfo>();
    this.#podsOf.set(nodeName, pods);
    const before = pods.get(info.key);
    const slot = this.#slots.get(nodeName);
    if (slot !== undefined && before !== undefined) this.#count(slot, before, -1);
    pods.set(info.key, info);
    if (slot !== undefined) this.#count(slot, info, 1);
  }

  removePod(nodeName: string, key: string): void {
    const pods = this.#podsOf.get(nodeName);
    const info = pods?.get(key);
    if (pods === undefined || info === undefined) return;
    pods.delete(key);
    if (pods.size === 0) this.#podsOf.delete(nodeName);
    const slot = this.#slots.get(nodeName);
    if (slot !== undefined) this.#count(slot, info, -1);
  }

  podsOn(nodeName: string): readonly PodInfo[] {
    return [...(this.#podsOf.get(nodeName)?.values() ?? [])];
  }

  /** Whether one of the ports is taken on the node. 0.0.0.0 stands for every address. */
  hasPortConflict(slot: number, ports: readonly HostPort[]): boolean {
    const taken = this.#hostPorts[slot];
    if (taken === undefined || taken.size === 0) return false;
    return ports.some(({ ip, protocol, port }) => {
      const suffix = `/${protocol}/${port}`;
      if (ip !== "0.0.0.0") return taken.has(`${ip}${suffix}`) || taken.has(`0.0.0.0${suffix}`);
      for (const key of taken.keys()) if (key.endsWith(suffix)) return true;
      return false;
    });
  }

  /** The column of a resource, made on first use. */
  column(resource: string): ResourceColumn {
    return this.#column(resource);
  }

  #column(name: string): ResourceColumn {
    let column = this.columns.get(name);
    if (column === undefined) {
      column = {
        name,
        allocatable: new Float64Array(this.flags.length),
        requested: new Float64Array(this.flags.length),
      };
      this.columns.set(name, column);
    }
    return column;
  }

  #intern(taints: readonly core.Taint[]): number {
    const id = this.#taintSets.id(taintSetText(taints));
    this.#taints[id] ??= taints;
    return id;
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
    for (const column of this.columns.values()) column.requested[slot] = 0;
    this.#hostPorts[slot] = undefined;
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
    for (const column of this.columns.values()) {
      column.allocatable = grown(column.allocatable, size);
      column.requested = grown(column.requested, size);
    }
  }

  #count(slot: number, info: PodInfo, sign: 1 | -1): void {
    this.podCount[slot] = (this.podCount[slot] ?? 0) + sign;
    this.nonZeroCpu[slot] = (this.nonZeroCpu[slot] ?? 0) + sign * info.nonZeroCpu;
    this.nonZeroMemory[slot] = (this.nonZeroMemory[slot] ?? 0) + sign * info.nonZeroMemory;
    for (const [resource, amount] of info.requests) {
      const { requested } = this.#column(resource);
      requested[slot] = (requested[slot] ?? 0) + sign * amount;
    }
    if (info.hostPorts.length === 0) return;
    const taken = this.#hostPorts[slot] ?? new Map<string, number>();
    this.#hostPorts[slot] = taken;
    for (const { ip, protocol, port } of info.hostPorts) {
      const key = `${ip}/${protocol}/${port}`;
      const count = (taken.get(key) ?? 0) + sign;
      if (count > 0) taken.set(key, count);
      else taken.delete(key);
    }
  }
}
