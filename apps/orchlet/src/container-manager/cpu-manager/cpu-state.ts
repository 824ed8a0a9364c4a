import { messageOf } from "@orchernetes/kernel";
import { goChecksum, goMap, goPointer, goScalar, goStruct } from "../checkpoint/go-text.ts";
import { isObject, readStateFile, writeStateFile } from "../checkpoint/state-file.ts";
import { CpuSet } from "../topology/cpu-set.ts";

/** CPUs by pod uid and container name. */
export type CpuAssignments = ReadonlyMap<string, ReadonlyMap<string, CpuSet>>;

/**
 * The exclusive CPUs of containers, and the shared pool of the others. Every change is written to the file `cpu_manager_state`, in
 * the format of the original.
 */
export class CpuState {
  readonly #path: string;
  readonly #policy: string;
  #shared: CpuSet;
  #assignments: CpuAssignments;

  private constructor(path: string, policy: string, shared: CpuSet, assignments: CpuAssignments) {
    this.#path = path;
    this.#policy = policy;
    this.#shared = shared;
    this.#assignments = assignments;
  }

  /**
   * Reads the file, or creates it.
   *
   * @throws Error if it is damaged, belongs to another policy, or cannot be written
   */
  static open(path: string, policy: string): CpuState {
    const found = readCheckpoint(path, policy);
    if (found !== undefined) return new CpuState(path, policy, found.shared, found.assignments);
    const state = new CpuState(path, policy, CpuSet.empty, new Map());
    state.#save();
    return state;
  }

  /** The shared pool: CPUs of the containers without exclusive ones; empty if it was never set. */
  get shared(): CpuSet {
    return this.#shared;
  }

  get assignments(): CpuAssignments {
    return this.#assignments;
  }

  /** The exclusive CPUs of a container. */
  of(podUid: string, container: string): CpuSet | undefined {
    return this.#assignments.get(podUid)?.get(container);
  }

  share(cpus: CpuSet): void {
    this.#change(cpus, this.#assignments);
  }

  /** Assigns exclusive CPUs to a container. */
  assign(podUid: string, container: string, cpus: CpuSet): void {
    const ofPod = new Map(this.#assignments.get(podUid)).set(container, cpus);
    this.#change(this.#shared.difference(cpus), new Map(this.#assignments).set(podUid, ofPod));
  }

  /** Returns the CPUs of a pod's containers to the shared pool. */
  release(podUid: string): void {
    const ofPod = this.#assignments.get(podUid);
    if (ofPod === undefined) return;
    const rest = new Map(this.#assignments);
    rest.delete(podUid);
    this.#change(CpuSet.union([this.#shared, ...ofPod.values()]), rest);
  }

  /** If the file cannot be written, the state must not change. */
  #change(shared: CpuSet, assignments: CpuAssignments): void {
    const before = { shared: this.#shared, assignments: this.#assignments };
    this.#shared = shared;
    this.#assignments = assignments;
    try {
      this.#save();
    } catch (error) {
      this.#shared = before.shared;
      this.#assignments = before.assignments;
      throw error;
    }
  }

  #save(): void {
    const checkpoint = {
      policyName: this.#policy,
      defaultCpuSet: String(this.#shared),
      entries: Object.fromEntries(
        [...this.#assignments].map(([uid, ofPod]) => [
          uid,
          Object.fromEntries([...ofPod].map(([name, cpus]) => [name, String(cpus)])),
        ]),
      ),
    };
    const { entries, ...rest } = checkpoint;
    writeStateFile(this.#path, {
      ...rest,
      ...(this.#assignments.size > 0 && { entries }),
      checksum: checksumOf(checkpoint),
    });
  }
}

interface Checkpoint {
  readonly policyName: string;
  readonly defaultCpuSet: string;
  readonly entries: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

function checksumOf({ policyName, defaultCpuSet, entries }: Checkpoint): number {
  const texts = (map: Readonly<Record<string, string>>) =>
    goMap(
      "map[string]string",
      Object.entries(map).map(([name, cpus]) => [name, goScalar("string", cpus)]),
    );
  return goChecksum(
    goPointer(
      goStruct("state.CPUManagerCheckpoint", {
        PolicyName: goScalar("string", policyName),
        DefaultCPUSet: goScalar("string", defaultCpuSet),
        Entries: goMap(
          "map[string]map[string]string",
          Object.entries(entries).map(([uid, ofPod]) => [uid, texts(ofPod)]),
        ),
        Checksum: goScalar("checksum.Checksum", 0),
      }),
    ),
  );
}

function readCheckpoint(
  path: string,
  policy: string,
): { readonly shared: CpuSet; readonly assignments: CpuAssignments } | undefined {
  try {
    const found = readStateFile(path);
    if (found === undefined) return undefined;
    const { policyName, defaultCpuSet, entries = {}, checksum } = found;
    if (typeof policyName !== "string" || typeof defaultCpuSet !== "string" || !isEntries(entries))
      throw new Error("checkpoint is corrupted");
    if (checksum !== 0 && checksum !== checksumOf({ policyName, defaultCpuSet, entries }))
      throw new Error("checkpoint is corrupted");
    if (policyName !== policy)
      throw new Error(
        `configured policy ${JSON.stringify(policy)} differs from state checkpoint policy ${JSON.stringify(policyName)}`,
      );
    return {
      shared: CpuSet.parse(defaultCpuSet),
      assignments: new Map(
        Object.entries(entries).map(([uid, ofPod]) => [
          uid,
          new Map(Object.entries(ofPod).map(([name, cpus]) => [name, CpuSet.parse(cpus)])),
        ]),
      ),
    };
  } catch (error) {
    throw new Error(
      `could not restore state from checkpoint: ${messageOf(error)}, please drain this node and delete the CPU manager checkpoint file ${JSON.stringify(path)} before restarting orchlet`,
      { cause: error },
    );
  }
}

const isEntries = (value: unknown): value is Checkpoint["entries"] =>
  isObject(value) &&
  Object.values(value).every(
    (ofPod) => isObject(ofPod) && Object.values(ofPod).every((cpus) => typeof cpus === "string"),
  );
