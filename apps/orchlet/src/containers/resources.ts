import { core } from "@orchernetes/api";
import { milliValueOf, valueOf as wholeValueOf } from "@orchernetes/apimachinery";
import { podLimits, podRequestUnits, unitAmountOf, unitsOf } from "@orchernetes/component-helpers";
import type { Init, LinuxContainerResources } from "@orchernetes/cri";
import { isCriticalPod } from "../types/pod-identity.ts";

/** Bounds of `cpu.shares` in the kernel. */
const minShares = 2;
const maxShares = 262_144;
const sharesPerCpu = 1024;
/** The kernel rejects smaller quotas; in µs. */
const minQuotaUs = 1000;
/** Below every other container, but above system daemons such as the agent itself (−999). */
const guaranteedScore = -997;
const nodeCriticalClass = "system-node-critical";

/** How CPU limits are enforced. */
export interface CpuPolicy {
  /** Whether limits are enforced at all. */
  readonly quota: boolean;
  readonly periodMs: number;
}

/**
 * Converts a CPU request to shares: the container's relative weight when CPU time is short. 1024 shares are one CPU.
 */
export function cpuShares(milliCpu: number): number {
  if (milliCpu === 0) return minShares;
  return Math.min(maxShares, Math.max(minShares, Math.floor((milliCpu * sharesPerCpu) / 1000)));
}

/** Converts a CPU limit to the CPU time that the container may use per period; in µs. */
export function cpuQuotaUs(milliCpu: number, periodMs: number): number {
  return Math.max(minQuotaUs, Math.floor((milliCpu * periodMs * 1000) / 1000));
}

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

/** The control group settings of a container, in the terms of the CRI. Resources without a limit are 0. */
export function linuxResources(
  pod: core.Pod,
  container: core.Container,
  options: { readonly cpu: CpuPolicy; readonly memoryBytes: number; readonly hugePageSizes: readonly string[] },
): Init<LinuxContainerResources> {
  const { limits = {}, requests = {} } = container.resources ?? {};
  const limitMilli = milliValueOf(limits.cpu ?? "0");
  // A container with a limit but no request is treated as if it requested the limit.
  const requestMilli =
    requests.cpu === undefined && limits.cpu !== undefined ? limitMilli : milliValueOf(requests.cpu ?? "0");
  const { quota, periodMs } = options.cpu;
  return {
    cpuShares: cpuShares(requestMilli),
    cpuPeriod: periodMs * 1000,
    cpuQuota: quota && limitMilli > 0 ? cpuQuotaUs(limitMilli, periodMs) : 0,
    memoryLimitInBytes: wholeValueOf(limits.memory ?? "0"),
    oomScoreAdj: oomScoreAdj(pod, container, options.memoryBytes),
    hugepageLimits: options.hugePageSizes.map((pageSize) => ({
      pageSize,
      limit: wholeValueOf(limits[`hugepages-${pageSize.replace("B", "i")}`] ?? "0"),
    })),
  };
}

/**
 * The resources of a pod as a whole, for its control group. A limit is defined only if every container has one:
 * otherwise it would limit a container that has none. The requests of a BestEffort pod are 0, even if the pod has
 * overhead.
 */
export function podResources({ spec }: core.Pod): {
  readonly requestMilliCpu: number;
  readonly limitMilliCpu: number | undefined;
  readonly memoryLimitBytes: number | undefined;
} {
  const limits = podLimits(spec);
  const limit = (name: "cpu" | "memory"): number | undefined => {
    const every = [...spec.containers, ...(spec.initContainers ?? [])].every(
      ({ resources }) => unitAmountOf(name, resources?.limits?.[name] ?? "0") > 0,
    );
    const amount = limits.get(name);
    return every && amount !== undefined ? unitsOf(name, amount) : undefined;
  };
  const bestEffort = core.podQosClass(spec) === "BestEffort";
  return {
    requestMilliCpu: bestEffort ? 0 : (podRequestUnits(spec).get("cpu") ?? 0),
    limitMilliCpu: limit("cpu"),
    memoryLimitBytes: limit("memory"),
  };
}
