import { readFileSync, readlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { identify, isAlive } from "./proc.ts";

const intervalMs = 20;

/**
 * The terminal that the `script` program with this pid has created for its child, such as `/dev/pts/3`. Creating it
 * takes time, on a busy machine a lot, so this waits as long as the program runs.
 *
 * @param signal - aborted when the client has disconnected
 * @returns undefined if the program exited or the client disconnected before there was a terminal
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

/** The terminal that is the standard input of a child of `pid`. */
function childTerminal(pid: number): string | undefined {
  try {
    for (const child of readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ")) {
      const target = readlinkSync(`/proc/${child}/fd/0`);
      if (target.startsWith("/dev/pts/")) return target;
    }
  } catch {
    // There is no child yet, or it has exited.
  }
  return undefined;
}
