/** Bounds of `cpu.shares` in the kernel. */
const minShares = 2;
const maxShares = 262_144;
const sharesPerCpu = 1024;
/** The kernel rejects smaller quotas; in µs. */
const minQuotaUs = 1000;

/** How CPU limits are enforced. */
export interface CpuPolicy {
  /** Whether limits are enforced at all. */
  readonly quota: boolean;
  readonly periodMs: number;
}

/** Removes a limit. */
export const noLimit = -1;

/** Settings of a control group. What is undefined stays as it is; {@link noLimit} removes a limit. */
export interface CgroupResources {
  readonly cpuShares?: number | undefined;
  /** CPU time per period. */
  readonly cpuQuotaUs?: number | undefined;
  readonly cpuPeriodUs?: number | undefined;
  readonly memoryBytes?: number | undefined;
  readonly pids?: number | undefined;
  /** Bytes by size of the pages as files of the kernel name it, such as `2MB`. */
  readonly hugePages?: ReadonlyMap<string, number> | undefined;
  /** Memory that other groups cannot reclaim. Version 2 only. */
  readonly memoryMinBytes?: number | undefined;
  /** Memory above which the group is slowed down. Version 2 only. */
  readonly memoryHighBytes?: number | undefined;
}

/** Converts a CPU request to shares: the relative weight when CPU time is short. 1024 shares are one CPU. */
export function cpuShares(milliCpu: number): number {
  if (milliCpu === 0) return minShares;
  return Math.min(maxShares, Math.max(minShares, Math.floor((milliCpu * sharesPerCpu) / 1000)));
}

/** Converts a CPU limit to the CPU time that may be used per period; in µs. */
export function cpuQuotaUs(milliCpu: number, periodMs: number): number {
  return Math.max(minQuotaUs, Math.floor((milliCpu * periodMs * 1000) / 1000));
}

/** Converts CPU shares (2 to 262,144) to a weight of version 2 (1 to 10,000), as runtimes do (KEP-2254). */
export const cpuWeight = (shares: number): number => 1 + Math.floor(((shares - minShares) * 9999) / 262_142);

/** The size of huge pages as the kernel names it, such as `2MB`, of one in the name of a resource, such as `2Mi`. */
export const kernelPageSize = (size: string): string => size.replace("i", "B");
