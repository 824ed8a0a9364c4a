import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { CgroupLimits, CgroupReader, CpuUsage, DiskUsage, MemoryUsage } from "./cgroup-usage.ts";
import { processesIn } from "./cgroup-v1.ts";
import { foldersIn, numberOf, readCounters, readNumber, readText } from "./host-files.ts";

const microNanos = 1000;

/**
 * Reads cgroup v2, whose one tree is mounted at `root`. The root group has no figures of memory: they are those of the machine.
 *
 * @param proc where the kernel shows the machine's memory
 */
export function cgroupV2(root: string, proc: string): CgroupReader {
  const fileOf = (path: string, file: string) => join(root, path, file);
  return {
    version: 2,
    children: (path) => foldersIn(join(root, path)),
    exists: (path) => existsSync(join(root, path)),
    createdMs: (path) => statSync(join(root, path), { throwIfNoEntry: false })?.ctimeMs,
    cpu: (path) => cpuOf(readCounters(fileOf(path, "cpu.stat"))),
    memory: (path) => memoryOf((file) => fileOf(path, file), path === "/" ? machineUsage(proc) : undefined),
    limits: (path) => limitsOf((file) => readText(fileOf(path, file))?.trim()),
    disks: (path) => disksOf(readText(fileOf(path, "io.stat")) ?? ""),
    processes: (path) => processesIn(fileOf(path, "cgroup.procs")),
    threads: (path) => readNumber(fileOf(path, "pids.current")),
    oomKills: (path) => readCounters(fileOf(path, "memory.events"))?.get("oom_kill"),
  };
}

function cpuOf(stat: ReadonlyMap<string, number> | undefined): CpuUsage | undefined {
  const usage = stat?.get("usage_usec");
  if (stat === undefined || usage === undefined) return undefined;
  const nanos = (name: string) => (stat.get(name) ?? 0) * microNanos;
  return {
    usageNanos: usage * microNanos,
    userNanos: nanos("user_usec"),
    systemNanos: nanos("system_usec"),
    periods: stat.get("nr_periods") ?? 0,
    throttledPeriods: stat.get("nr_throttled") ?? 0,
    throttledNanos: nanos("throttled_usec"),
  };
}

/** Memory of the machine that is in use, with what the kernel has cached. */
function machineUsage(proc: string): number | undefined {
  const text = readText(proc, "meminfo") ?? "";
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(text)?.[1]) * 1024;
  const used = bytes("MemTotal") - bytes("MemFree");
  return Number.isFinite(used) ? used : undefined;
}

function memoryOf(file: (name: string) => string, machineBytes: number | undefined): MemoryUsage | undefined {
  const usageBytes = readNumber(file("memory.current")) ?? machineBytes;
  if (usageBytes === undefined) return undefined;
  const stat = readCounters(file("memory.stat")) ?? new Map<string, number>();
  const of = (name: string) => stat.get(name) ?? 0;
  return {
    usageBytes,
    workingSetBytes: Math.max(0, usageBytes - of("inactive_file")),
    rssBytes: of("anon"),
    cacheBytes: of("file"),
    mappedFileBytes: of("file_mapped"),
    swapBytes: readNumber(file("memory.swap.current")) ?? 0,
    maxUsageBytes: readNumber(file("memory.peak")) ?? 0,
    kernelBytes: stat.get("kernel") ?? of("kernel_stack") + of("slab"),
    limitHits: readCounters(file("memory.events"))?.get("max") ?? 0,
    pageFaults: of("pgfault"),
    majorPageFaults: of("pgmajfault"),
    ownPageFaults: undefined,
    ownMajorPageFaults: undefined,
  };
}

function limitsOf(read: (file: string) => string | undefined): CgroupLimits {
  const [quota, period] = read("cpu.max")?.split(" ") ?? [];
  const weight = numberOf(read("cpu.weight"));
  return {
    // The inverse of the conversion by which runtimes set the weight (KEP-2254).
    cpuShares: weight === undefined ? undefined : 2 + Math.floor(((weight - 1) * 262_142) / 9999),
    cpuPeriodUs: numberOf(period),
    cpuQuotaUs: numberOf(quota),
    memoryBytes: numberOf(read("memory.max")),
    memoryReservationBytes: numberOf(read("memory.low")) || undefined,
    memorySwapBytes: numberOf(read("memory.swap.max")),
    threads: numberOf(read("pids.max")),
  };
}

/** Lines `8:0 rbytes=4096 wbytes=0 rios=1 wios=0 dbytes=0 dios=0`. */
function disksOf(text: string): readonly DiskUsage[] {
  return text.split("\n").flatMap((line) => {
    const [, major, minor, rest = ""] = /^(\d+):(\d+) (.*)$/.exec(line) ?? [];
    if (major === undefined) return [];
    const values = new Map(rest.split(" ").map((pair) => pair.split("=", 2) as [string, string]));
    const value = (name: string) => numberOf(values.get(name)) ?? 0;
    return [
      {
        major: Number(major),
        minor: Number(minor),
        readBytes: value("rbytes"),
        readOperations: value("rios"),
        writeBytes: value("wbytes"),
        writeOperations: value("wios"),
      },
    ];
  });
}
