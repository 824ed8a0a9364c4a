import { core } from "@orchernetes/api";
import { valueOf as wholeValueOf } from "@orchernetes/apimachinery";
import { maskOf, nodesOf } from "../topology/numa-mask.ts";
import type { HintProvider, ResourceHints, TopologyHint } from "../topology-manager/hint.ts";
import { type MachineMemory, type MemoryBlock, returnMemory, takeMemory } from "./machine-memory.ts";
import { bestHint, isUsableWith, type MemoryAmounts, type MemoryHint, memoryHints } from "./memory-hints.ts";
import type { MemoryState } from "./memory-state.ts";

/**
 * Allocates memory of as few NUMA nodes as possible to containers of Guaranteed pods. The memory of init containers is reused for
 * the other containers of the pod.
 */
export class StaticMemoryPolicy implements HintProvider {
  readonly #state: MemoryState;

  /**
   * @param free the machine's memory if nothing is allocated
   * @throws Error if the state does not fit to it
   */
  constructor(state: MemoryState, free: MachineMemory) {
    this.#state = state;
    this.#validate(free);
  }

  concerns(pod: core.Pod): boolean {
    return core.podQosClass(pod.spec) === "Guaranteed";
  }

  containerHints(pod: core.Pod, container: core.Container): ResourceHints {
    if (!this.concerns(pod)) return new Map();
    const wanted = requestsOf(container);
    const had = this.#state.of(pod.metadata.uid ?? "", container.name);
    return had === undefined ? this.#hints(pod, wanted) : hintsOfBlocks(wanted, had);
  }

  podHints(pod: core.Pod): ResourceHints {
    if (!this.concerns(pod)) return new Map();
    const wanted = podRequestsOf(pod);
    for (const { name } of containersOf(pod)) {
      const had = this.#state.of(pod.metadata.uid ?? "", name);
      if (had !== undefined) return hintsOfBlocks(wanted, had);
    }
    return this.#hints(pod, wanted);
  }

  /** @throws Error if there is not enough memory, or only on more nodes than necessary where that is not wanted */
  allocate(pod: core.Pod, container: core.Container, affinity: TopologyHint): undefined {
    const podUid = pod.metadata.uid ?? "";
    if (!this.concerns(pod) || this.#state.of(podUid, container.name) !== undefined) return;
    const wanted = requestsOf(container);
    const nodes = nodesOf(this.#nodesFor(pod, wanted, affinity));
    let { machine } = this.#state.content;
    let ofPod = new Map(this.#state.content.assignments.get(podUid));
    const blocks: MemoryBlock[] = [];
    for (const [kind, bytes] of wanted) {
      const block = { nodes, kind, bytes };
      const reused = Math.min(bytes, this.#reusable(pod, nodes, kind));
      machine = takeMemory(machine, block, bytes - reused);
      ofPod = withoutReused(pod, ofPod, block, reused);
      blocks.push(block);
    }
    ofPod.set(container.name, blocks);
    this.#state.change({ machine, assignments: new Map(this.#state.content.assignments).set(podUid, ofPod) });
  }

  release(podUid: string): void {
    this.releaseContainers(podUid, new Set(this.#state.content.assignments.get(podUid)?.keys()));
  }

  /** Releases what some containers of a pod have. Idempotent. */
  releaseContainers(podUid: string, names: ReadonlySet<string>): void {
    const { machine, assignments } = this.#state.content;
    const ofPod = [...(assignments.get(podUid) ?? [])];
    const released = ofPod.filter(([name]) => names.has(name));
    if (released.length === 0) return;
    const rest = new Map(assignments);
    if (released.length === ofPod.length) rest.delete(podUid);
    else rest.set(podUid, new Map(ofPod.filter(([name]) => !names.has(name))));
    this.#state.change({
      machine: released.flatMap(([, blocks]) => blocks).reduce((left, block) => returnMemory(left, block), machine),
      assignments: rest,
    });
  }

  #hints(pod: core.Pod, wanted: MemoryAmounts): ResourceHints {
    const hints = this.#allHints(pod, wanted);
    // Without hints, the allocation fails with its own reason, as in the original.
    if (hints.length === 0) return new Map();
    return new Map([...wanted.keys()].map((kind) => [kind, hints]));
  }

  #allHints(pod: core.Pod, wanted: MemoryAmounts): readonly MemoryHint[] {
    return memoryHints(this.#state.content.machine, wanted, (nodes, kind) => this.#reusable(pod, nodes, kind));
  }

  /** The chosen nodes, with others if they are not enough; the best ones if none were chosen. */
  #nodesFor(pod: core.Pod, wanted: MemoryAmounts, { nodes, preferred }: TopologyHint): bigint {
    const { machine } = this.#state.content;
    if (nodes !== undefined && this.#isEnough(pod, nodesOf(nodes), wanted)) {
      if (nodesOf(nodes).some((node) => !isUsableWith(machine, node, nodesOf(nodes))))
        throw new Error("[memorymanager] preferred hint violates NUMA node allocation");
      return nodes;
    }
    const best = bestHint(
      this.#allHints(pod, wanted).filter((hint) => nodes === undefined || (hint.nodes & nodes) === nodes),
    );
    if (best === undefined)
      throw new Error(
        nodes === undefined
          ? "[memorymanager] failed to get the default NUMA affinity, no NUMA nodes with enough memory is available"
          : "[memorymanager] failed to find NUMA nodes to extend the current topology hint",
      );
    if (preferred && !best.preferred)
      throw new Error(
        `[memorymanager] failed to find the ${nodes === undefined ? "default" : "extended"} preferred hint`,
      );
    return best.nodes;
  }

  #isEnough(pod: core.Pod, nodes: readonly number[], wanted: MemoryAmounts): boolean {
    const { machine } = this.#state.content;
    return [...wanted].every(
      ([kind, bytes]) =>
        nodes.reduce((sum, node) => sum + (machine.get(node)?.memory.get(kind)?.free ?? 0), 0) +
          this.#reusable(pod, nodes, kind) >=
        bytes,
    );
  }

  /** What the pod's init containers have on exactly these nodes. */
  #reusable(pod: core.Pod, nodes: readonly number[], kind: string): number {
    return (pod.spec.initContainers ?? [])
      .flatMap(({ name }) => this.#state.of(pod.metadata.uid ?? "", name) ?? [])
      .filter((block) => isSame(block, { nodes, kind }))
      .reduce((sum, { bytes }) => sum + bytes, 0);
  }

  #validate(free: MachineMemory): void {
    const { machine, assignments } = this.#state.content;
    if (machine.size === 0) {
      if (assignments.size > 0) throw invalidState("machine state can not be empty when it has memory assignments");
      this.#state.change({ machine: free, assignments });
      return;
    }
    const used = new Map<string, number>();
    for (const [uid, ofPod] of assignments)
      for (const [name, blocks] of ofPod)
        for (const { nodes, kind, bytes } of blocks) {
          if (!nodes.every((node) => free.get(node)?.memory.has(kind)))
            throw invalidState(
              `(pod: ${uid}, container: ${name}) the memory assignment uses the NUMA that does not exist`,
            );
          used.set(kind, (used.get(kind) ?? 0) + bytes);
        }
    for (const [kind, bytes] of reservedOf(machine)) used.set(kind, (used.get(kind) ?? 0) - bytes);
    if (!hasSameForm(machine, free) || [...used.values()].some((bytes) => bytes !== 0))
      throw invalidState("the expected machine state is different from the real one");
  }
}

const invalidState = (message: string): Error =>
  new Error(`[memorymanager] ${message}, please drain this node and remove the memory manager state file`);

const containersOf = ({ spec }: core.Pod) => [...(spec.initContainers ?? []), ...spec.containers];

/** Memory and huge pages that a container requests. */
function requestsOf({ resources }: core.Container): MemoryAmounts {
  return new Map(
    Object.entries(resources?.requests ?? {}).flatMap(([kind, amount]) => {
      const bytes = kind === "memory" || kind.startsWith("hugepages-") ? wholeValueOf(amount) : 0;
      return bytes > 0 ? [[kind, bytes] as const] : [];
    }),
  );
}

/**
 * What all containers of a pod request together, or its largest init container if that is more. As in the original, a kind that only
 * init containers request is left out.
 */
function podRequestsOf({ spec }: core.Pod): MemoryAmounts {
  const total = new Map<string, number>();
  for (const container of spec.containers)
    for (const [kind, bytes] of requestsOf(container)) total.set(kind, (total.get(kind) ?? 0) + bytes);
  for (const container of spec.initContainers ?? [])
    for (const [kind, bytes] of requestsOf(container)) {
      const before = total.get(kind);
      if (before !== undefined) total.set(kind, Math.max(before, bytes));
    }
  return total;
}

const isSame = (block: MemoryBlock, { nodes, kind }: Pick<MemoryBlock, "nodes" | "kind">): boolean =>
  block.kind === kind && maskOf(block.nodes) === maskOf(nodes);

/** Removes memory that a container reuses from the blocks of the init containers, so that it is counted once. */
function withoutReused(
  pod: core.Pod,
  ofPod: ReadonlyMap<string, readonly MemoryBlock[]>,
  block: MemoryBlock,
  reused: number,
): Map<string, readonly MemoryBlock[]> {
  const changed = new Map(ofPod);
  let left = reused;
  for (const { name } of pod.spec.initContainers ?? []) {
    const blocks = changed.get(name);
    if (blocks === undefined) continue;
    changed.set(
      name,
      blocks.map((one) => {
        if (!isSame(one, block)) return one;
        const taken = Math.min(left, one.bytes);
        left -= taken;
        return { ...one, bytes: one.bytes - taken };
      }),
    );
  }
  return changed;
}

/** The hints of what a container has already: it cannot be anywhere else. None if it has something else than is wanted. */
function hintsOfBlocks(wanted: MemoryAmounts, had: readonly MemoryBlock[]): ResourceHints {
  if (had.length !== wanted.size || had.some(({ kind, bytes }) => wanted.get(kind) !== bytes)) return new Map();
  return new Map(had.map(({ kind, nodes }) => [kind, [{ nodes: maskOf(nodes), preferred: true }]]));
}

/** Bytes that containers have on all nodes, by kind. */
function reservedOf(machine: MachineMemory): MemoryAmounts {
  const total = new Map<string, number>();
  for (const { memory } of machine.values())
    for (const [kind, { reserved }] of memory) total.set(kind, (total.get(kind) ?? 0) + reserved);
  return total;
}

/** Whether the nodes, their memory and what is reserved of it for the system are as they were. */
function hasSameForm(machine: MachineMemory, free: MachineMemory): boolean {
  return (
    machine.size === free.size &&
    [...free].every(([id, { memory }]) => {
      const found = machine.get(id)?.memory;
      return (
        found?.size === memory.size &&
        [...memory].every(([kind, { total, systemReserved, allocatable }]) => {
          const table = found.get(kind);
          return (
            table?.total === total &&
            table.systemReserved === systemReserved &&
            table.allocatable === allocatable &&
            table.reserved + table.free === allocatable
          );
        })
      );
    })
  );
}
