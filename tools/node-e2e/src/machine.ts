import { existsSync, readFileSync } from "node:fs";

const number = (path: string): number => Number(readFileSync(path, "utf8"));

/** How many processes and threads the machine can have. */
export const processLimit = (): number =>
  Math.min(number("/proc/sys/kernel/pid_max"), number("/proc/sys/kernel/threads-max"));

/** How many processes and threads the machine has. */
export function processesNow(): number {
  const [, , , counts = ""] = readFileSync("/proc/loadavg", "utf8").split(" ");
  return Number(counts.split("/")[1]);
}

/**
 * Memory of the machine that is available as the signal of evictions counts it, in bytes: all but the working set of the root group. The
 * kernel's own estimate is higher, by up to all of the cache that is in use.
 */
export function availableMemory(): number {
  const field = (path: string, name: string): number =>
    Number(new RegExp(`^${name}:?\\s+(\\d+)`, "m").exec(readFileSync(path, "utf8"))?.[1] ?? 0);
  const meminfo = (name: string): number => field("/proc/meminfo", name) * 1024;
  const version1 = "/sys/fs/cgroup/memory";
  if (!existsSync(version1)) return meminfo("MemFree") + meminfo("Inactive\\(file\\)");
  const workingSet =
    number(`${version1}/memory.usage_in_bytes`) - field(`${version1}/memory.stat`, "total_inactive_file");
  return meminfo("MemTotal") - workingSet;
}
