import { type CpuProfile, cpuProfileTree, takeCpuProfile } from "./cpu-profile.ts";
import type { Inspection } from "./inspect.ts";
import type { Profile } from "./profile-tree.ts";

const tickMs = 5;
/** A turn of the event loop that holds up the next by this much is a stall. */
const stallMs = 10;

/** From and to, in microseconds of the monotonic clock. */
type Stall = readonly [fromUs: number, toUs: number];

const nowUs = (): number => Number(process.hrtime.bigint() / 1000n);

/**
 * Where others had to wait: the CPU profile of those times only in which the event loop was held up. The loop is to this
 * program what a lock is to one of many threads: code that blocks it keeps every other request waiting.
 */
export function takeBlockProfile(durationMs: number, signal: AbortSignal): Inspection<Profile> {
  return async (session) => {
    const stalls: Stall[] = [];
    let last = nowUs();
    const timer = setInterval(() => {
      const now = nowUs();
      if (now - last > (tickMs + stallMs) * 1000) stalls.push([last + tickMs * 1000, now]);
      last = now;
    }, tickMs);
    try {
      return stalledTree(await takeCpuProfile(durationMs, signal)(session), stalls);
    } finally {
      clearInterval(timer);
    }
  };
}

/** The part of a CPU profile that lies in stalls, as samples and delay. */
export function stalledTree(cpu: CpuProfile, stalls: readonly Stall[]): Profile {
  let at = 0;
  const tree = cpuProfileTree(cpu, (time) => {
    // Samples come in the order of time, as stalls do.
    while ((stalls[at]?.[1] ?? Number.POSITIVE_INFINITY) < time) at++;
    return time >= (stalls[at]?.[0] ?? Number.POSITIVE_INFINITY);
  });
  return {
    ...tree,
    sampleTypes: [
      ["contentions", "count"],
      ["delay", "nanoseconds"],
    ],
    period: { type: ["contentions", "count"], value: 1 },
  };
}
