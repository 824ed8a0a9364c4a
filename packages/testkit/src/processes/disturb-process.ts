import { setTimeout as sleep } from "node:timers/promises";

/**
 * Stops a process with SIGSTOP for a time: its connections stay open, and its leases and deadlines run out. A process that has ended is
 * left alone.
 */
export async function pauseProcess(pid: number, lengthMs: number): Promise<void> {
  if (!send(pid, "SIGSTOP")) return;
  try {
    await sleep(lengthMs);
  } finally {
    send(pid, "SIGCONT");
  }
}

/** Lets a process run for a tenth of the time only, as on an overloaded machine, until it ends or the time is over. */
export async function slowProcess(pid: number, lengthMs: number): Promise<void> {
  for (const until = performance.now() + lengthMs; performance.now() < until; ) {
    await pauseProcess(pid, 45);
    await sleep(5);
  }
}

function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
