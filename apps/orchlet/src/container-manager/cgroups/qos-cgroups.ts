import { core } from "@orchernetes/api";
import { podRequestUnits } from "@orchernetes/component-helpers";
import type { CgroupManager } from "./cgroup-manager.ts";
import type { CgroupName } from "./cgroup-name.ts";
import { type CgroupResources, cpuShares, kernelPageSize, noLimit } from "./cgroup-resources.ts";

/** The class of a pod by what it requests. */
type QosClass = ReturnType<typeof core.podQosClass>;
/** The classes that have a group of their own; guaranteed pods are directly in the group of all pods. */
type GroupedClass = Exclude<QosClass, "Guaranteed">;

/** What {@link QosCgroups} needs. */
export interface QosCgroupsOptions {
  readonly manager: CgroupManager;
  /** The group of all pods. */
  readonly root: CgroupName;
  /** Pods of this node that have not terminated. */
  readonly active: () => readonly core.Pod[];
  readonly hugePageSizes: readonly string[];
  /** Whether requests for memory are protected (gate MemoryQoS, version 2 only). */
  readonly memoryQos: boolean;
  /**
   * Percentage of the memory that pods of a class request which lower classes cannot use (`qosReserved`); undefined for no limit.
   */
  readonly reservedMemoryPercent: number | undefined;
  /** Memory of the node that pods may use together. */
  readonly allocatableMemoryBytes: number;
}

/** Sums over the pods of the node. */
interface Requests {
  readonly burstableMilliCpu: number;
  readonly burstableBytes: number;
  readonly guaranteedBytes: number;
}

/**
 * The groups of the QoS classes. The weight of Burstable is the sum of its pods' requests, that of BestEffort the minimum, so that
 * each class gets CPU time according to its requests.
 */
export class QosCgroups {
  readonly #options: QosCgroupsOptions;
  /** What was written last, to write only what changes. */
  readonly #written = new Map<string, string>();
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(options: QosCgroupsOptions) {
    this.#options = options;
  }

  /** The group that the pods of a class are in. */
  nameOf(qosClass: QosClass): CgroupName {
    const { root } = this.#options;
    return qosClass === "Guaranteed" ? root : [...root, qosClass.toLowerCase()];
  }

  /**
   * Creates the groups and writes their weights and limits. Calls during a run share the next run.
   *
   * @throws Error if a group cannot be written
   */
  update(): Promise<void> {
    if (this.#running === undefined) return this.#start();
    this.#next ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return this.#start();
      });
    return this.#next;
  }

  #start(): Promise<void> {
    this.#running = this.#update().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #update(): Promise<void> {
    const { memoryQos, root } = this.#options;
    const requests = requestsOf(this.#options.active());
    const limits = this.#memoryLimits(requests);
    const hugePages = new Map(this.#options.hugePageSizes.map((size) => [kernelPageSize(size), noLimit] as const));
    const { burstableBytes, guaranteedBytes } = requests;
    if (memoryQos) await this.#write(root, { memoryMinBytes: guaranteedBytes + burstableBytes });
    await this.#write(this.nameOf("Burstable"), {
      cpuShares: cpuShares(requests.burstableMilliCpu),
      memoryBytes: limits.Burstable,
      memoryMinBytes: memoryQos ? burstableBytes : undefined,
      hugePages,
    });
    await this.#write(this.nameOf("BestEffort"), {
      cpuShares: cpuShares(0),
      memoryBytes: limits.BestEffort,
      hugePages,
    });
  }

  /** Limits that keep memory for what higher classes request. */
  #memoryLimits({ guaranteedBytes, burstableBytes }: Requests): Readonly<Record<GroupedClass, number | undefined>> {
    const { reservedMemoryPercent: percent, allocatableMemoryBytes } = this.#options;
    if (percent === undefined || allocatableMemoryBytes === 0) return { Burstable: undefined, BestEffort: undefined };
    const part = (bytes: number) => Math.floor((bytes * percent) / 100);
    const burstable = Math.max(0, allocatableMemoryBytes - part(guaranteedBytes));
    return { Burstable: burstable, BestEffort: Math.max(0, burstable - part(burstableBytes)) };
  }

  async #write(name: CgroupName, resources: CgroupResources): Promise<void> {
    const { manager } = this.#options;
    const key = manager.pathOf(name);
    const text = JSON.stringify({ ...resources, hugePages: [...(resources.hugePages ?? [])] });
    if (this.#written.get(key) === text && manager.exists(name)) return;
    this.#written.delete(key);
    await this.#apply(name, resources);
    this.#written.set(key, text);
  }

  /** If a class already uses more memory than its new limit, its current usage becomes the limit, so that it cannot grow. */
  async #apply(name: CgroupName, resources: CgroupResources): Promise<void> {
    const { manager } = this.#options;
    const { memoryBytes } = resources;
    const usedBytes = memoryBytes === undefined || !manager.exists(name) ? 0 : (manager.memoryUsageBytes(name) ?? 0);
    await manager.apply(
      name,
      memoryBytes === undefined ? resources : { ...resources, memoryBytes: Math.max(memoryBytes, usedBytes) },
    );
  }
}

function requestsOf(pods: readonly core.Pod[]): Requests {
  const sums = { burstableMilliCpu: 0, burstableBytes: 0, guaranteedBytes: 0 };
  for (const { spec } of pods) {
    const qosClass = core.podQosClass(spec);
    if (qosClass === "BestEffort") continue;
    const requests = podRequestUnits(spec);
    const bytes = requests.get("memory") ?? 0;
    if (qosClass === "Guaranteed") sums.guaranteedBytes += bytes;
    else {
      sums.burstableBytes += bytes;
      sums.burstableMilliCpu += requests.get("cpu") ?? 0;
    }
  }
  return sums;
}
