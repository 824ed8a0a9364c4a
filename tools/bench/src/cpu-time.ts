import { readdirSync, readFileSync } from "node:fs";

/** Length of a tick in /proc, in microseconds: `USER_HZ` is 100 on every platform that Node supports. */
const TICK_US = 10_000;

/** CPU time that all threads of a process have used since its start, in microseconds. */
export function cpuTimeUs(pid: number): number {
  return cpuTimeOf(readFileSync(`/proc/${pid}/stat`, "utf8"));
}

/** The CPU time in a line of /proc/PID/stat: user and system time, fields 14 and 15 (proc(5)). @throws Error when it has none */
export function cpuTimeOf(stat: string): number {
  // The name of the program, field 2, may contain spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = Number(fields[11]) + Number(fields[12]);
  if (!Number.isFinite(ticks)) throw new Error(`no CPU time in ${JSON.stringify(stat)}`);
  return ticks * TICK_US;
}

/**
 * CPU time that the present threads of a process have used, in microseconds. Finer than {@link cpuTimeUs}, for short times: the scheduler
 * counts nanoseconds, and not ticks.
 */
export function threadsTimeUs(pid: number): number {
  const folder = `/proc/${pid}/task`;
  return readdirSync(folder).reduce((sum, thread) => sum + runTimeUs(`${folder}/${thread}/schedstat`), 0);
}

/** The first field of a thread's schedstat (Documentation/scheduler/sched-stats.rst); 0 of a thread that has ended. */
function runTimeUs(file: string): number {
  try {
    return Number(readFileSync(file, "utf8").split(" ")[0]) / 1000;
  } catch {
    return 0;
  }
}
