import { readNumber } from "../stats/host/host-files.ts";

/**
 * How many processes and threads the kernel allows together.
 *
 * @param proc where procfs is mounted
 * @returns undefined if the kernel does not say
 */
export function maxTasks(proc = "/proc"): number | undefined {
  const limits = ["pid_max", "threads-max"].flatMap((file) => readNumber(proc, "sys/kernel", file) ?? []);
  return limits.length === 0 ? undefined : Math.min(...limits);
}
