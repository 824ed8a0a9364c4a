import { messageOf } from "@orchernetes/kernel";
import { type GoValue, goChecksum, goList, goMap, goPointer, goScalar, goStruct } from "../checkpoint/go-text.ts";
import { isObject, readStateFile, writeStateFile } from "../checkpoint/state-file.ts";
import type { MachineMemory, MemoryBlock, MemoryTable, NodeMemory } from "./machine-memory.ts";

/** Memory by pod uid and container name. */
type MemoryAssignments = ReadonlyMap<string, ReadonlyMap<string, readonly MemoryBlock[]>>;

/** What is allocated. */
export interface MemoryContent {
  /** Empty before the first start with policy `Static`. */
  readonly machine: MachineMemory;
  readonly assignments: MemoryAssignments;
}

/**
 * Which containers have which memory. Every change is written to the file `memory_manager_state`, whose form is that of the original.
 */
export class MemoryState {
  readonly #path: string;
  readonly #policy: string;
  #content: MemoryContent;

  private constructor(path: string, policy: string, content: MemoryContent) {
    this.#path = path;
    this.#policy = policy;
    this.#content = content;
  }

  /**
   * Reads the file, or creates it.
   *
   * @throws Error if it is damaged, belongs to another policy, or cannot be written
   */
  static open(path: string, policy: string): MemoryState {
    const found = readCheckpoint(path, policy);
    if (found !== undefined) return new MemoryState(path, policy, found);
    const state = new MemoryState(path, policy, { machine: new Map(), assignments: new Map() });
    state.change(state.content);
    return state;
  }

  get content(): MemoryContent {
    return this.#content;
  }

  /** The memory that a container has; undefined if it has none. */
  of(podUid: string, container: string): readonly MemoryBlock[] | undefined {
    return this.#content.assignments.get(podUid)?.get(container);
  }

  /** Writes what is allocated. @throws Error if that is impossible; then nothing has changed */
  change(content: MemoryContent): void {
    const json = toJson(this.#policy, content);
    writeStateFile(this.#path, { ...json, checksum: checksumOf(json) });
    this.#content = content;
  }
}

interface TableJson {
  readonly total: number;
  readonly systemReserved: number;
  readonly allocatable: number;
  readonly reserved: number;
  readonly free: number;
}
interface NodeJson {
  readonly numberOfAssignments: number;
  readonly memoryMap: Readonly<Record<string, TableJson>>;
  readonly cells: readonly number[];
}
interface BlockJson {
  readonly numaAffinity: readonly number[];
  readonly type: string;
  readonly size: number;
}
interface Checkpoint {
  readonly policyName: string;
  readonly machineState: Readonly<Record<string, NodeJson>>;
  /** Absent if there are none. */
  readonly entries?: Readonly<Record<string, Readonly<Record<string, readonly BlockJson[]>>>>;
}

function toJson(policyName: string, { machine, assignments }: MemoryContent): Checkpoint {
  const machineState = Object.fromEntries(
    [...machine].map(([id, { assignments: numberOfAssignments, memory, cells }]) => [
      id,
      { numberOfAssignments, memoryMap: Object.fromEntries(memory), cells },
    ]),
  );
  const blocks = (some: readonly MemoryBlock[]) =>
    some.map(({ nodes, kind, bytes }) => ({ numaAffinity: nodes, type: kind, size: bytes }));
  const entries = Object.fromEntries(
    [...assignments].map(([uid, ofPod]) => [
      uid,
      Object.fromEntries([...ofPod].map(([name, some]) => [name, blocks(some)])),
    ]),
  );
  return { policyName, machineState, ...(assignments.size > 0 && { entries }) };
}

const int = (value: number) => goScalar("int", value);
const size = (value: number) => goScalar("uint64", value);
const ints = (values: readonly number[]) => goList("[]int", values.map(int));

function checksumOf({ policyName, machineState, entries = {} }: Checkpoint): number {
  const table = ({ total, systemReserved, allocatable, reserved, free }: TableJson): GoValue =>
    goPointer(
      goStruct("state.MemoryTable", {
        TotalMemSize: size(total),
        SystemReserved: size(systemReserved),
        Allocatable: size(allocatable),
        Reserved: size(reserved),
        Free: size(free),
      }),
    );
  const node = ({ numberOfAssignments, memoryMap, cells }: NodeJson): GoValue =>
    goPointer(
      goStruct("state.NUMANodeState", {
        NumberOfAssignments: int(numberOfAssignments),
        MemoryMap: mapOf("map[v1.ResourceName]*state.MemoryTable", memoryMap, table),
        Cells: ints(cells),
      }),
    );
  const block = ({ numaAffinity, type, size: bytes }: BlockJson): GoValue =>
    goStruct("state.Block", {
      NUMAAffinity: ints(numaAffinity),
      Type: goScalar("v1.ResourceName", type),
      Size: size(bytes),
    });
  const blocks = (some: readonly BlockJson[]) => goList("[]state.Block", some.map(block));
  return goChecksum(
    goPointer(
      goStruct("state.MemoryManagerCheckpoint", {
        PolicyName: goScalar("string", policyName),
        MachineState: mapOf("state.NUMANodeMap", machineState, node),
        Entries: mapOf("state.ContainerMemoryAssignments", entries, (ofPod) =>
          mapOf("map[string][]state.Block", ofPod, blocks),
        ),
        Checksum: goScalar("checksum.Checksum", 0),
      }),
    ),
  );
}

const mapOf = <T>(type: string, map: Readonly<Record<string, T>>, toGo: (value: T) => GoValue): GoValue =>
  goMap(
    type,
    Object.entries(map).map(([key, value]) => [key, toGo(value)]),
  );

function readCheckpoint(path: string, policy: string): MemoryContent | undefined {
  try {
    const found = readStateFile(path);
    if (found === undefined) return undefined;
    const { policyName, machineState, entries = {}, checksum } = found;
    if (typeof policyName !== "string" || !isMachine(machineState) || !isEntries(entries))
      throw new Error("checkpoint is corrupted");
    if (checksum !== 0 && checksum !== checksumOf({ policyName, machineState, entries }))
      throw new Error("checkpoint is corrupted");
    if (policyName !== policy)
      throw new Error(
        `[memorymanager] configured policy ${JSON.stringify(policy)} differs from state checkpoint policy ${JSON.stringify(policyName)}`,
      );
    return {
      machine: new Map(Object.entries(machineState).map(([id, node]) => [Number(id), nodeOf(node)])),
      assignments: new Map(
        Object.entries(entries).map(([uid, ofPod]) => [
          uid,
          new Map(Object.entries(ofPod).map(([name, blocks]) => [name, blocks.map(blockOf)])),
        ]),
      ),
    };
  } catch (error) {
    throw new Error(
      `could not restore state from checkpoint: ${messageOf(error)}, please drain this node and delete the memory manager checkpoint file ${JSON.stringify(path)} before restarting orchlet`,
      { cause: error },
    );
  }
}

const nodeOf = ({ numberOfAssignments, memoryMap, cells }: NodeJson): NodeMemory => ({
  assignments: numberOfAssignments,
  memory: new Map(Object.entries(memoryMap).map(([kind, table]): [string, MemoryTable] => [kind, table])),
  cells,
});
const blockOf = ({ numaAffinity, type, size: bytes }: BlockJson): MemoryBlock => ({
  nodes: numaAffinity,
  kind: type,
  bytes,
});

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const isCounts = (value: unknown): value is readonly number[] => Array.isArray(value) && value.every(isCount);
const isMapOf = <T>(value: unknown, isValue: (item: unknown) => item is T): value is Readonly<Record<string, T>> =>
  isObject(value) && Object.values(value).every(isValue);

const tableFields = ["total", "systemReserved", "allocatable", "reserved", "free"];
const isTable = (value: unknown): value is TableJson =>
  isObject(value) && tableFields.every((field) => isCount(value[field]));
const isNode = (value: unknown): value is NodeJson =>
  isObject(value) && isCount(value.numberOfAssignments) && isCounts(value.cells) && isMapOf(value.memoryMap, isTable);
const isMachine = (value: unknown): value is Checkpoint["machineState"] =>
  isMapOf(value, isNode) && Object.keys(value).every((id) => /^\d{1,4}$/.test(id));
const isBlock = (value: unknown): value is BlockJson =>
  isObject(value) && isCounts(value.numaAffinity) && typeof value.type === "string" && isCount(value.size);
const isBlocks = (value: unknown): value is readonly BlockJson[] => Array.isArray(value) && value.every(isBlock);
const isPod = (value: unknown): value is Readonly<Record<string, readonly BlockJson[]>> => isMapOf(value, isBlocks);
const isEntries = (value: unknown): value is NonNullable<Checkpoint["entries"]> => isMapOf(value, isPod);
