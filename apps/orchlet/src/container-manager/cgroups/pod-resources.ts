import { core } from "@orchernetes/api";
import { podLimits, podRequestUnits, unitAmountOf, unitsOf } from "@orchernetes/component-helpers";
import {
  type CgroupResources,
  type CpuPolicy,
  cpuQuotaUs,
  cpuShares,
  kernelPageSize,
  noLimit,
} from "./cgroup-resources.ts";

/** The settings of the node that determine the resources of the groups of its pods. */
export interface PodGroupPolicy {
  readonly cpu: CpuPolicy;
  /** Maximum number of processes of a pod; −1 for no limit (`podPidsLimit`). */
  readonly podPidsLimit: number;
  /** The sizes of the machine's huge pages, such as `2Mi`. */
  readonly hugePageSizes: readonly string[];
  /** Whether requests for memory are protected (gate MemoryQoS, version 2 only). */
  readonly memoryQos: boolean;
}

/** Requests and limits of a pod as a whole. */
export interface PodResources {
  readonly requestMilliCpu: number;
  readonly requestMemoryBytes: number;
  readonly limitMilliCpu: number | undefined;
  readonly memoryLimitBytes: number | undefined;
}

/**
 * The resources of a pod as a whole. A limit is defined only if every container has one: otherwise it would limit a container that
 * has none. The requests of a BestEffort pod are 0, even if the pod has overhead.
 */
export function podResources({ spec }: core.Pod): PodResources {
  const limits = podLimits(spec);
  const limit = (name: "cpu" | "memory"): number | undefined => {
    const every = [...spec.containers, ...(spec.initContainers ?? [])].every(
      ({ resources }) => unitAmountOf(name, resources?.limits?.[name] ?? "0") > 0,
    );
    const amount = limits.get(name);
    return every && amount !== undefined ? unitsOf(name, amount) : undefined;
  };
  const requests = core.podQosClass(spec) === "BestEffort" ? undefined : podRequestUnits(spec);
  return {
    requestMilliCpu: requests?.get("cpu") ?? 0,
    requestMemoryBytes: requests?.get("memory") ?? 0,
    limitMilliCpu: limit("cpu"),
    memoryLimitBytes: limit("memory"),
  };
}

/** The settings of a pod's group. Huge pages of sizes for which the pod has no limit are forbidden. */
export function podGroupResources(pod: core.Pod, policy: PodGroupPolicy): CgroupResources {
  const { requestMilliCpu, requestMemoryBytes, limitMilliCpu, memoryLimitBytes } = podResources(pod);
  const { cpu, podPidsLimit, hugePageSizes, memoryQos } = policy;
  const limits = podLimits(pod.spec);
  const isCpuLimited = cpu.quota && limitMilliCpu !== undefined;
  return {
    cpuShares: cpuShares(requestMilliCpu),
    cpuPeriodUs: isCpuLimited ? cpu.periodMs * 1000 : undefined,
    cpuQuotaUs: isCpuLimited ? cpuQuotaUs(limitMilliCpu, cpu.periodMs) : undefined,
    // The kernel cannot read a number that is written with an exponent.
    memoryBytes: (memoryLimitBytes ?? 0) > Number.MAX_SAFE_INTEGER ? noLimit : memoryLimitBytes,
    memoryMinBytes: memoryQos && requestMemoryBytes > 0 ? requestMemoryBytes : undefined,
    pids: podPidsLimit > 0 ? podPidsLimit : undefined,
    hugePages: new Map(
      hugePageSizes.map((size) => [kernelPageSize(size), limits.get(`hugepages-${size}`)?.value() ?? 0]),
    ),
  };
}
