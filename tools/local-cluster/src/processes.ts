import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { StartedProcess } from "./state.ts";

/** When the process started, in ticks since boot; undefined if there is none of that number (or no /proc). */
export function startTicksOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const afterName = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // A zombie has exited, and only waits for its parent to read the exit status.
    return afterName[0] === "Z" ? undefined : Number(afterName[19]);
  } catch {
    return undefined;
  }
}

/** Whether the process that was started still runs. Its number alone would not prove it: the kernel uses numbers again. */
export function isRunning(process_: StartedProcess): boolean {
  if (process_.startTicks !== undefined) return startTicksOf(process_.pid) === process_.startTicks;
  try {
    process.kill(process_.pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Starts a daemon that outlives this tool; its output goes to the end of the log file. */
export function startDetached(
  name: string,
  command: readonly string[],
  logFile: string,
  env: NodeJS.ProcessEnv,
): StartedProcess {
  const [file, ...args] = command;
  if (file === undefined) throw new Error(`no command to start ${name} with`);
  mkdirSync(dirname(logFile), { recursive: true, mode: 0o700 });
  const log = openSync(logFile, "a", 0o600);
  const child = spawn(file, args, { detached: true, stdio: ["ignore", log, log], env });
  closeSync(log);
  // A program that cannot be started shows as one that is not running.
  child.on("error", () => undefined);
  child.unref();
  const pid = child.pid ?? 0;
  return { name, pid, startTicks: pid === 0 ? undefined : startTicksOf(pid) };
}

/** Stops the process with SIGTERM, waits, and kills it if it still runs. It never signals another process with the same number. */
export async function stop(process_: StartedProcess, graceMs: number): Promise<"stopped" | "killed" | "gone"> {
  if (!isRunning(process_)) return "gone";
  signal(process_, "SIGTERM");
  for (const until = Date.now() + graceMs; Date.now() < until; ) {
    await sleep(25);
    if (!isRunning(process_)) return "stopped";
  }
  signal(process_, "SIGKILL");
  while (isRunning(process_)) await sleep(25);
  return "killed";
}

function signal({ pid }: StartedProcess, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It exited between the check and the signal.
  }
}

/** The last lines of a log. */
export function logTail(file: string, lines = 15): string {
  try {
    const { size } = statSync(file);
    const length = Math.min(size, 16 * 1024);
    const buffer = Buffer.alloc(length);
    const fd = openSync(file, "r");
    readSync(fd, buffer, 0, length, size - length);
    closeSync(fd);
    return buffer.toString("utf8").trimEnd().split("\n").slice(-lines).join("\n");
  } catch {
    return "(no log)";
  }
}
