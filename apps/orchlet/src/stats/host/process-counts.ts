import { readNumber, readText } from "./host-files.ts";

/** The number of processes and threads of a machine, and its limit. */
export interface ProcessCounts {
  readonly most: number;
  /** Undefined where the kernel does not tell it. */
  readonly current: number | undefined;
}

/** Counts the machine's processes and threads, as the kernel shows them. Undefined if it shows no limit. */
export function processCounts(proc: string): ProcessCounts | undefined {
  const limits = [readNumber(proc, "sys/kernel/pid_max"), readNumber(proc, "sys/kernel/threads-max")];
  const most = Math.min(...limits.map((limit) => limit ?? Number.POSITIVE_INFINITY));
  if (!Number.isFinite(most)) return undefined;
  const current = /^\S+ \S+ \S+ \d+\/(\d+) /.exec(readText(proc, "loadavg") ?? "")?.[1];
  return { most, current: current === undefined ? undefined : Number(current) };
}
