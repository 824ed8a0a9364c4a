import { readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { readText } from "./host-files.ts";

/** Open files and states of the processes of a control group. */
export interface ProcessUsage {
  readonly processes: number;
  readonly fileDescriptors: number;
  readonly sockets: number;
  readonly states: Readonly<Record<"sleeping" | "running" | "stopped" | "uninterruptible", number>>;
  /** Soft limit of open files of the first process; -1: none. Undefined if it has ended. */
  readonly maxOpenFiles: number | undefined;
}

/** Maximum number of processes of a group that are read; each costs several system calls. */
const maxProcesses = 64;
/** Maximum number of open files of a group whose types are read, because all of this happens in one turn of the event loop. */
const maxFiles = 512;

const stateNames = {
  S: "sleeping",
  I: "sleeping",
  R: "running",
  T: "stopped",
  t: "stopped",
  D: "uninterruptible",
} as const;

/** Reads the state of processes; of large groups, only the first ones. */
export function processUsage(proc: string, pids: readonly number[]): ProcessUsage {
  const states = { sleeping: 0, running: 0, stopped: 0, uninterruptible: 0 };
  let fileDescriptors = 0;
  let sockets = 0;
  let filesLeft = maxFiles;
  for (const pid of pids.slice(0, maxProcesses)) {
    const folder = join(proc, String(pid));
    // The name of the program is in parentheses, and may contain some itself.
    const state = readText(folder, "stat")?.split(") ").at(-1)?.[0] ?? "";
    if (state in stateNames) states[stateNames[state as keyof typeof stateNames]] += 1;
    const files = openFiles(join(folder, "fd"));
    fileDescriptors += files.length;
    const looked = files.slice(0, filesLeft);
    filesLeft -= looked.length;
    sockets += looked.filter((file) => isSocket(join(folder, "fd", file))).length;
  }
  const limit = /^Max open files\s+(\S+)/m.exec(readText(proc, String(pids[0] ?? ""), "limits") ?? "")?.[1];
  const maxOpenFiles = limit === undefined ? undefined : limit === "unlimited" ? -1 : Number(limit);
  return { processes: pids.length, fileDescriptors, sockets, states, maxOpenFiles };
}

function openFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isSocket(link: string): boolean {
  try {
    return readlinkSync(link).startsWith("socket:");
  } catch {
    return false;
  }
}
