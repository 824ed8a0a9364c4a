import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { CgroupReader, CpuUsage, DiskUsage, MemoryUsage } from "./cgroup-usage.ts";
import { foldersIn, numberOf, readCounters, readNumber, readText } from "./host-files.ts";

/** A larger limit means no limit: the kernel then shows the largest number of pages that it can count. */
const unlimitedBytes = 2 ** 62;
/** The kernel counts user and system time in hundredths of a second. */
const tickNanos = 10_000_000;

const limited = (value: number | undefined): number | undefined =>
  value === undefined || value < 0 || value >= unlimitedBytes ? undefined : value;

/** Reads cgroup v1, where each controller has a tree of its own below `root`. */
export function cgroupV1(root: string): CgroupReader {
  const inTree = (controller: string) => (path: string, file: string) => join(root, controller, path, file);
  const cpuFile = inTree("cpu");
  const timeFile = inTree("cpuacct");
  const memoryFile = inTree("memory");
  const pidsFile = inTree("pids");
  return {
    version: 1,
    children: (path) => foldersIn(join(root, "memory", path)),
    exists: (path) => existsSync(join(root, "memory", path)),
    createdMs: (path) => statSync(join(root, "memory", path), { throwIfNoEntry: false })?.ctimeMs,
    cpu: (path) => cpuOf((file) => timeFile(path, file), cpuFile(path, "cpu.stat")),
    memory: (path) => memoryOf((file) => memoryFile(path, file)),
    limits(path) {
      const quota = readNumber(cpuFile(path, "cpu.cfs_quota_us"));
      return {
        cpuShares: readNumber(cpuFile(path, "cpu.shares")),
        cpuPeriodUs: readNumber(cpuFile(path, "cpu.cfs_period_us")),
        cpuQuotaUs: quota !== undefined && quota > 0 ? quota : undefined,
        memoryBytes: limited(readNumber(memoryFile(path, "memory.limit_in_bytes"))),
        memoryReservationBytes: limited(readNumber(memoryFile(path, "memory.soft_limit_in_bytes"))),
        memorySwapBytes: limited(readNumber(memoryFile(path, "memory.memsw.limit_in_bytes"))),
        threads: readNumber(pidsFile(path, "pids.max")),
      };
    },
    disks: (path) => disksOf((file) => join(root, "blkio", path, file)),
    processes: (path) => processesIn(memoryFile(path, "cgroup.procs")),
    threads: (path) => readNumber(pidsFile(path, "pids.current")),
    oomKills: (path) => readCounters(memoryFile(path, "memory.oom_control"))?.get("oom_kill"),
  };
}

/** The ids of the processes in a file with one on each line. */
export function processesIn(file: string): readonly number[] {
  return (readText(file) ?? "").split("\n").flatMap((line) => numberOf(line) ?? []);
}

function cpuOf(timeFile: (file: string) => string, statFile: string): CpuUsage | undefined {
  const usageNanos = readNumber(timeFile("cpuacct.usage"));
  if (usageNanos === undefined) return undefined;
  const ticks = readCounters(timeFile("cpuacct.stat"));
  const throttling = readCounters(statFile);
  const nanos = (name: string) => {
    const count = ticks?.get(name);
    return count === undefined ? undefined : count * tickNanos;
  };
  return {
    usageNanos,
    userNanos: nanos("user"),
    systemNanos: nanos("system"),
    periods: throttling?.get("nr_periods") ?? 0,
    throttledPeriods: throttling?.get("nr_throttled") ?? 0,
    throttledNanos: throttling?.get("throttled_time") ?? 0,
  };
}

function memoryOf(file: (name: string) => string): MemoryUsage | undefined {
  const usageBytes = readNumber(file("memory.usage_in_bytes"));
  const stat = readCounters(file("memory.stat"));
  if (usageBytes === undefined || stat === undefined) return undefined;
  const total = (name: string) => stat.get(`total_${name}`) ?? stat.get(name) ?? 0;
  return {
    usageBytes,
    workingSetBytes: Math.max(0, usageBytes - total("inactive_file")),
    rssBytes: total("rss"),
    cacheBytes: total("cache"),
    mappedFileBytes: total("mapped_file"),
    swapBytes: total("swap"),
    maxUsageBytes: readNumber(file("memory.max_usage_in_bytes")) ?? 0,
    kernelBytes: readNumber(file("memory.kmem.usage_in_bytes")) ?? 0,
    limitHits: readNumber(file("memory.failcnt")) ?? 0,
    pageFaults: total("pgfault"),
    majorPageFaults: total("pgmajfault"),
    ownPageFaults: stat.get("pgfault"),
    ownMajorPageFaults: stat.get("pgmajfault"),
  };
}

function disksOf(file: (name: string) => string): readonly DiskUsage[] {
  const bytes = readDisks(file("blkio.throttle.io_service_bytes"));
  const operations = readDisks(file("blkio.throttle.io_serviced"));
  return [...new Set([...bytes.keys(), ...operations.keys()])].map((device) => {
    const [major = 0, minor = 0] = device.split(":").map(Number);
    const [moved, done] = [bytes.get(device), operations.get(device)];
    return {
      ...{ major, minor },
      readBytes: moved?.get("Read") ?? 0,
      readOperations: done?.get("Read") ?? 0,
      writeBytes: moved?.get("Write") ?? 0,
      writeOperations: done?.get("Write") ?? 0,
    };
  });
}

/** Lines `8:0 Read 4096`, by device and operation. */
function readDisks(file: string): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const disks = new Map<string, Map<string, number>>();
  for (const line of (readText(file) ?? "").split("\n")) {
    const [, device, operation, value] = /^(\d+:\d+) (\w+) (\d+)$/.exec(line) ?? [];
    if (device === undefined || operation === undefined) continue;
    const known = disks.get(device) ?? new Map<string, number>();
    disks.set(device, known.set(operation, Number(value)));
  }
  return disks;
}
