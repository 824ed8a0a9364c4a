import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { unmountAndRemove } from "@orchernetes/host";
import { findProgram } from "./probe-container-host.ts";
import { criNamespace, releaseShims, shimSocket } from "./shim-sockets.ts";

const run = promisify(execFile);

/** Where the tasks of a containerd are. */
export interface TaskPlaces {
  /** containerd's folder of this boot. */
  readonly state: string;
  /** Path of its socket. */
  readonly socket: string;
  /** Where runc keeps what it knows. @default `runc` in `state` */
  readonly runcRoot?: string;
}

const tasksOf = (state: string): string => join(state, "io.containerd.runtime.v2.task", criNamespace);

/** Ids of the tasks of which there are files or shims. A task is a sandbox or a container that was started. */
export async function tasksPresent({ state, socket }: TaskPlaces): Promise<readonly string[]> {
  const folders = await readdir(tasksOf(state)).catch(() => []);
  return [...new Set([...folders, ...(await shimsAt(socket)).map(({ id }) => id)])];
}

/**
 * Removes tasks that containerd does not know: those whose shim had not told its address yet when containerd was killed, and those that it
 * has given up because the client went away, such as an agent that was killed. Nobody else would ever end their processes, or delete their
 * files. Where `ctr` is missing, they stay.
 *
 * @param before ids of tasks that cannot be starting any more, such as those that there were before containerd was started again
 * @returns ids of those that were removed
 */
export async function removeAbandonedTasks(places: TaskPlaces, before: readonly string[]): Promise<readonly string[]> {
  const { socket, state, runcRoot = join(state, "runc") } = places;
  const abandoned = await unknownTasks(places, before);
  const shims = abandoned.length === 0 ? [] : await shimsAt(socket);
  for (const id of abandoned) {
    for (const shim of shims) if (shim.id === id) endProcess(shim.pid);
    await deleteInRunc(runcRoot, id);
    await unmountAndRemove(join(tasksOf(state), id));
  }
  await releaseShims(socket, abandoned);
  return abandoned;
}

/** Those of the tasks that containerd does not know, and whose shim keeps no other task. None where `ctr` is missing. */
export async function unknownTasks({ socket, state }: TaskPlaces, ids: readonly string[]): Promise<readonly string[]> {
  const ctr = findProgram("ctr");
  if (ctr === undefined || ids.length === 0) return [];
  const { stdout } = await run(ctr, ["--address", socket, "--namespace", criNamespace, "tasks", "list", "--quiet"]);
  const known = new Set(stdout.split("\n").filter((id) => id !== ""));
  const inUse = await shimAddresses(state, known);
  return ids.filter((id) => !known.has(id) && !inUse.has(`unix://${shimSocket(socket, id)}`));
}

/** The addresses of the shims of tasks. A shim that is named after a sandbox keeps its containers, too, and outlives the sandbox's own task. */
async function shimAddresses(state: string, tasks: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const files = [...tasks].map((id) => readFile(join(tasksOf(state), id, "address"), "utf8").catch(() => ""));
  return new Set((await Promise.all(files)).map((address) => address.trim()));
}

/** Kills the processes of a container, and deletes its control groups and what runc knows of it. It may know nothing. */
async function deleteInRunc(runcRoot: string, id: string): Promise<void> {
  const runc = findProgram("runc");
  if (runc === undefined) return;
  await run(runc, ["--root", join(runcRoot, criNamespace), "delete", "--force", id]).catch(() => undefined);
}

/** The processes that keep tasks for the containerd on a socket, each with the id of its task. */
async function shimsAt(socket: string): Promise<readonly { readonly pid: number; readonly id: string }[]> {
  const found: { readonly pid: number; readonly id: string }[] = [];
  for (const pid of await shimProcesses()) {
    const args = (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).split("\0");
    const id = args[args.indexOf("-id") + 1] ?? "";
    // It becomes part of paths.
    if (args.includes(socket) && /^[\w-]+$/.test(id)) found.push({ pid, id });
  }
  return found;
}

/** The name of a shim's process, of which the kernel keeps the first 15 bytes. */
const shimName = "containerd-shim";
/** How many names of processes are read in one turn of the event loop. */
const namesAtOnce = 250;

/**
 * The ids of processes that have the name of a shim. The arguments of other processes are not read, because that waits for a lock of their
 * memory, which a process may hold for as long as a file system does not respond. The name needs no lock.
 */
async function shimProcesses(): Promise<readonly number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const shims: number[] = [];
  for (const [i, pid] of pids.entries()) {
    if (i % namesAtOnce === namesAtOnce - 1) await setImmediate();
    if (processName(pid) === shimName) shims.push(pid);
  }
  return shims;
}

/** @returns "" if it has ended */
function processName(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").trimEnd();
  } catch {
    return "";
  }
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended since the list was read.
  }
}
