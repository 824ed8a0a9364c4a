import { core } from "@orchernetes/api";
import { milliValueOf, valueOf as wholeValueOf } from "@orchernetes/apimachinery";
import type { Init, LinuxContainerResources } from "@orchernetes/cri";
import {
  type CpuPolicy,
  cpuQuotaUs,
  cpuShares,
  kernelPageSize,
} from "../container-manager/cgroups/cgroup-resources.ts";
import { isCriticalPod } from "../types/pod-identity.ts";

/** Below every other container, but above system daemons such as the agent itself (−999). */
const guaranteedScore = -997;
const nodeCriticalClass = "system-node-critical";

/**
 * The `oom_score_adj` of a container's processes: the kernel kills processes with a higher score first when memory runs
 * out. Guaranteed and node-critical pods get −997, BestEffort pods 1000, Burstable pods a score between them that falls
 * with the memory request.
 *
 * @param memoryBytes memory of the machine
 */
export function oomScoreAdj(pod: core.Pod, container: core.Container, memoryBytes: number): number {
  if (isCriticalPod(pod) && pod.spec.priorityClassName === nodeCriticalClass) return guaranteedScore;
  switch (core.podQosClass(pod.spec)) {
    case "Guaranteed":
      return guaranteedScore;
    case "BestEffort":
      return 1000;
    default: {
      const request = wholeValueOf(container.resources?.requests?.memory ?? "0");
      const score = 1000 - Math.floor((1000 * request) / memoryBytes);
      // Above every guaranteed container, below every best-effort one.
      return Math.min(999, Math.max(1000 + guaranteedScore, score));
    }
  }
}

/** The settings of the node that determine the resources of containers. */
export interface ContainerResourcePolicy {
  readonly cpu: CpuPolicy;
  /** Memory of the machine. */
  readonly memoryBytes: number;
  /** Memory of the node that pods may use together. */
  readonly allocatableMemoryBytes: number;
  /** The sizes of the machine's huge pages, such as `2Mi`. */
  readonly hugePageSizes: readonly string[];
  /** How containers may use swap (gate NodeSwap); undefined leaves it to the runtime. */
  readonly swapBehavior: "" | "LimitedSwap" | "UnlimitedSwap" | undefined;
  /**
   * Part of the memory between request and limit above which a container is slowed down (gate MemoryQoS); undefined: memory is neither
   * protected nor slowed down.
   */
  readonly memoryThrottlingFactor: number | undefined;
}

/** The control group settings of a container, in the terms of the CRI. Resources without a limit are 0. */
export function linuxResources(
  pod: core.Pod,
  container: core.Container,
  policy: ContainerResourcePolicy,
): Init<LinuxContainerResources> {
  const { limits = {}, requests = {} } = container.resources ?? {};
  const limitMilli = milliValueOf(limits.cpu ?? "0");
  // A container with a limit but no request is treated as if it requested the limit.
  const requestMilli =
    requests.cpu === undefined && limits.cpu !== undefined ? limitMilli : milliValueOf(requests.cpu ?? "0");
  const { quota, periodMs } = policy.cpu;
  const memoryLimitInBytes = wholeValueOf(limits.memory ?? "0");
  return {
    cpuShares: cpuShares(requestMilli),
    cpuPeriod: quota ? periodMs * 1000 : 0,
    cpuQuota: quota && limitMilli > 0 ? cpuQuotaUs(limitMilli, periodMs) : 0,
    memoryLimitInBytes,
    memorySwapLimitInBytes: swapLimitBytes(policy.swapBehavior, memoryLimitInBytes),
    oomScoreAdj: oomScoreAdj(pod, container, policy.memoryBytes),
    hugepageLimits: policy.hugePageSizes.map((size) => ({
      pageSize: kernelPageSize(size),
      limit: wholeValueOf(limits[`hugepages-${size}`] ?? "0"),
    })),
    unified: memoryQos(container, policy),
  };
}

/** Memory and swap together; 0 leaves it to the runtime (KEP-2400). */
function swapLimitBytes(behavior: ContainerResourcePolicy["swapBehavior"], memoryLimitBytes: number): number {
  if (behavior === undefined) return 0;
  return behavior === "UnlimitedSwap" ? -1 : memoryLimitBytes;
}

/** Sizes of memory are multiples of it. */
const pageBytes = 4096;

/**
 * Files of control groups v2 that protect the memory that a container requests, and slow it down before it reaches its limit
 * (KEP-2570). A container whose limit is its request is not slowed down.
 */
function memoryQos(
  { resources: { limits = {}, requests = {} } = {} }: core.Container,
  { memoryThrottlingFactor: factor, allocatableMemoryBytes }: ContainerResourcePolicy,
): Readonly<Record<string, string>> {
  if (factor === undefined) return {};
  const request = wholeValueOf(requests.memory ?? "0");
  const limit = wholeValueOf(limits.memory ?? "0");
  const most = limit > 0 ? limit : allocatableMemoryBytes;
  const high = Math.floor((request + (most - request) * factor) / pageBytes) * pageBytes;
  return {
    ...(request > 0 && { "memory.min": String(request) }),
    ...(request !== limit && most > 0 && high > request && { "memory.high": String(high) }),
  };
}
