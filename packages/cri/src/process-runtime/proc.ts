import { readdirSync, readFileSync } from "node:fs";
import type { ProcessIdentity } from "./records.ts";

/** The parts of `/proc/<pid>/stat` used here. */
export interface ProcessStat {
  readonly pid: number;
  readonly state: string;
  readonly session: number;
  /** Clock ticks, with those of children that were waited for. */
  readonly cpuTicks: number;
  readonly startTime: string;
  readonly rssPages: number;
}

/** Ticks per second of the times in `/proc`: fixed in the Linux ABI. */
export const ticksPerSecond = 100;

/** Reads a process; undefined if it has ended. */
function readProcess(pid: number): ProcessStat | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return undefined;
  }
  // The second field is the program's name in parentheses, and may hold spaces and parentheses itself.
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

/** Whether the same process still runs; a zombie does not. */
export function isAlive(identity: ProcessIdentity | undefined): boolean {
  if (identity === undefined) return false;
  const stat = readProcess(identity.pid);
  return stat !== undefined && stat.startTime === identity.startTime && stat.state !== "Z";
}

/** Identity of a running process; undefined if it has ended. */
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

/** Sends a signal to a process group whose leader is `leader`; nothing when the leader's pid is another's by now. */
export function signalGroup(leader: ProcessIdentity | undefined, signal: NodeJS.Signals): void {
  if (leader === undefined || identify(leader.pid)?.startTime !== leader.startTime) return;
  try {
    process.kill(-leader.pid, signal);
  } catch {
    // Gone in between.
  }
}

/** Id of this boot. */
export function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "";
  }
}
