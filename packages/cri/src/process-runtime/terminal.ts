import { readFileSync, readlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { identify, isAlive } from "./proc.ts";

const intervalMs = 20;

/**
 * The terminal that the `script` program with this pid made for its child, e.g. `/dev/pts/3`. It takes some time for that,
 * on a busy machine a long one: waits as long as the program runs.
 *
 * @param signal aborted when the client has disconnected
 * @returns undefined when the program ended, or the client left, before there was a terminal
 */
export async function findTerminal(pid: number, signal: AbortSignal): Promise<string | undefined> {
  const program = identify(pid);
  while (isAlive(program) && !signal.aborted) {
    const terminal = childTerminal(pid);
    if (terminal !== undefined) return terminal;
    await sleep(intervalMs);
  }
  return undefined;
}

/** The terminal a child of `pid` has as standard input. */
function childTerminal(pid: number): string | undefined {
  try {
    for (const child of readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ")) {
      const target = readlinkSync(`/proc/${child}/fd/0`);
      if (target.startsWith("/dev/pts/")) return target;
    }
  } catch {
    // No child yet, or not any more.
  }
  return undefined;
}
