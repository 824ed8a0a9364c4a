/** CPU time of a control group, all in nanoseconds. */
export interface CpuUsage {
  readonly usageNanos: number;
  readonly userNanos: number | undefined;
  readonly systemNanos: number | undefined;
  readonly periods: number;
  readonly throttledPeriods: number;
  readonly throttledNanos: number;
}

/** Memory of a control group and its descendants, in bytes. */
export interface MemoryUsage {
  readonly usageBytes: number;
  /** Usage without the file pages that the kernel drops first. */
  readonly workingSetBytes: number;
  readonly rssBytes: number;
  readonly cacheBytes: number;
  readonly mappedFileBytes: number;
  readonly swapBytes: number;
  readonly maxUsageBytes: number;
  readonly kernelBytes: number;
  /** How often the limit was reached. */
  readonly limitHits: number;
  readonly pageFaults: number;
  readonly majorPageFaults: number;
  /** Page faults without those of descendants; undefined where the kernel does not count them. */
  readonly ownPageFaults: number | undefined;
  readonly ownMajorPageFaults: number | undefined;
}

/** Limits of a control group. Undefined: none. */
export interface CgroupLimits {
  readonly cpuShares: number | undefined;
  readonly cpuPeriodUs: number | undefined;
  readonly cpuQuotaUs: number | undefined;
  readonly memoryBytes: number | undefined;
  /** Memory that is protected from other groups. */
  readonly memoryReservationBytes: number | undefined;
  /** Limit of swap; with memory on cgroup v1, as its file has it. */
  readonly memorySwapBytes: number | undefined;
  readonly threads: number | undefined;
}

/** What a control group has read from and written to a disk. */
export interface DiskUsage {
  readonly major: number;
  readonly minor: number;
  readonly readBytes: number;
  readonly readOperations: number;
  readonly writeBytes: number;
  readonly writeOperations: number;
}

/** Reads the control groups of a host. Every value is undefined if the group does not exist, or lacks the controller. */
export interface CgroupReader {
  readonly version: 1 | 2;
  /** Names of the groups in a group. @param path as `/orchpods/burstable` */
  children(path: string): readonly string[];
  exists(path: string): boolean;
  /** When the group was made, in milliseconds since the epoch. */
  createdMs(path: string): number | undefined;
  cpu(path: string): CpuUsage | undefined;
  memory(path: string): MemoryUsage | undefined;
  limits(path: string): CgroupLimits;
  disks(path: string): readonly DiskUsage[];
  /** Ids of the processes in the group itself. */
  processes(path: string): readonly number[];
  /** Number of threads in the group and its descendants. */
  threads(path: string): number | undefined;
  /** How often the kernel has killed a process of the group for lack of memory. */
  oomKills(path: string): number | undefined;
}
