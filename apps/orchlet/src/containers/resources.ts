import { core } from "@orchernetes/api";
import { milliValueOf, valueOf as wholeValueOf } from "@orchernetes/apimachinery";
import { podLimits, podRequestUnits, unitAmountOf, unitsOf } from "@orchernetes/component-helpers";
import type { Init, LinuxContainerResources } from "@orchernetes/cri";
import { isCriticalPod } from "../types/refusal.ts";

const minShares = 2;
const maxShares = 262_144;
const sharesPerCpu = 1024;
/** The kernel refuses smaller quotas, in µs. */
const minQuotaUs = 1000;
const guaranteedScore = -997;
const nodeCriticalClass = "system-node-critical";

/** How CPU limits are enforced. */
export interface CpuPolicy {
  /** Whether limits are enforced at all. */
  readonly quota: boolean;
  readonly periodMs: number;
}

/** Relative weight of a CPU amount. */
export function cpuShares(milliCpu: number): number {
  if (milliCpu === 0) return minShares;
  return Math.min(maxShares, Math.max(minShares, Math.floor((milliCpu * sharesPerCpu) / 1000)));
}

/** Microseconds of CPU time per period. */
export function cpuQuotaUs(milliCpu: number, periodMs: number): number {
  return Math.max(minQuotaUs, Math.floor((milliCpu * periodMs * 1000) / 1000));
}

/** How readily the kernel ends a container's processes when memory runs out: −997 (last) to 1000 (first). */
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

/** A container's control group settings. */
export function linuxResources(
  pod: core.Pod,
  container: core.Container,
  options: { readonly cpu: CpuPolicy; readonly memoryBytes: number; readonly hugePageSizes: readonly string[] },
): Init<LinuxContainerResources> {
  const { limits = {}, requests = {} } = container.resources ?? {};
  const limitMilli = milliValueOf(limits.cpu ?? "0");
  // A container that asks for nothing, but has a limit, is taken to ask for the limit.
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
 * What all containers of a pod may use together: requests for CPU in thousandths, limits only where every container has one.
 * A best-effort pod asks for nothing, whatever its overhead.
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
