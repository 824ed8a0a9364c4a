import { readdirSync, readFileSync } from "node:fs";
import type { ProcessIdentity } from "./records.ts";

/** The parts of `/proc/<pid>/stat` used here. */
export interface ProcessStat {
  readonly pid: number;
  readonly state: string;
  readonly session: number;
  /** Clock ticks, including those of children that were waited for. */
  readonly cpuTicks: number;
  readonly startTime: string;
  readonly rssPages: number;
}

/** Ticks per second of times in `/proc`: USER_HZ, which is fixed in the Linux ABI. */
export const ticksPerSecond = 100;

/** Reads a process; undefined if it has exited. */
function readProcess(pid: number): ProcessStat | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return undefined;
  }
  // The second field is the program name in parentheses, which may itself contain spaces and parentheses
  // (proc_pid_stat(5)).
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const number = (field: number) => Number(fields[field - 3]);
  return {
    pid,
    state: fields[0] ?? "",
    session: number(6),
    cpuTicks: number(14) + number(15) + number(16) + number(17),
    startTime: fields[22 - 3] ?? "",
    rssPages: number(24),
  };
}

/** Whether the same process is still running. A zombie is not. */
export function isAlive(identity: ProcessIdentity | undefined): boolean {
  if (identity === undefined) return false;
  const stat = readProcess(identity.pid);
  return stat !== undefined && stat.startTime === identity.startTime && stat.state !== "Z";
}

/** Identity of a running process; undefined if it has exited. */
export function identify(pid: number): ProcessIdentity | undefined {
  const stat = readProcess(pid);
  return stat && { pid, startTime: stat.startTime };
}

/** All processes of this host by session. */
export function processesBySession(): Map<number, ProcessStat[]> {
  const sessions = new Map<number, ProcessStat[]>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = readProcess(Number(name));
    if (stat === undefined) continue;
    const members = sessions.get(stat.session);
    if (members === undefined) sessions.set(stat.session, [stat]);
    else members.push(stat);
  }
  return sessions;
}

/**
 * Sends a signal to the process group with the leader `leader`. Does nothing if the pid now belongs to another
 * process.
 */
export function signalGroup(leader: ProcessIdentity | undefined, signal: NodeJS.Signals): void {
  if (leader === undefined || identify(leader.pid)?.startTime !== leader.startTime) return;
  try {
    process.kill(-leader.pid, signal);
  } catch {
    // The group exited after the check.
  }
}

/** Random id of the current boot; empty where the kernel has none. */
export function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "";
  }
}
