import { setTimeout as sleep } from "node:timers/promises";
import { cpuTimeUs } from "../cpu-time.ts";

/** A process is idle once it has used less than this share of a core for {@link QUIET_MS}. */
const IDLE_SHARE = 0.1;
const QUIET_MS = 3000;
const START_TIMEOUT_MS = 180_000;

/** Waits until a process that was just started is idle. @returns the CPU time that it had used when it became so, in microseconds */
export async function untilIdle(pid: number): Promise<number> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  await sleep(QUIET_MS);
  for (let before = cpuTimeUs(pid); ; ) {
    await sleep(QUIET_MS);
    const after = cpuTimeUs(pid);
    if ((after - before) / 1000 < IDLE_SHARE * QUIET_MS) return before;
    if (performance.now() > deadline) throw new Error(`process ${pid} is not idle after ${START_TIMEOUT_MS / 1000} s`);
    before = after;
  }
}
