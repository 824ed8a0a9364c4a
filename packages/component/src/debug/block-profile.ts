import { type CpuProfile, cpuProfileTree, takeCpuProfile } from "./cpu-profile.ts";
import type { Inspection } from "./inspect.ts";
import type { Profile } from "./profile-tree.ts";

const tickMs = 5;
/** A turn of the event loop that delays the next one by at least this time counts as a stall, in milliseconds. */
const stallMs = 10;

/** From and to, in microseconds of the monotonic clock. */
type Stall = readonly [fromUs: number, toUs: number];

const nowUs = (): number => Number(process.hrtime.bigint() / 1000n);

/**
 * Profiles the code that blocks others: the CPU profile of only those times in which the event loop was stalled. The
 * loop has the role of a lock in a program with many threads: code that occupies it delays every other request.
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

/** The part of a CPU profile that was measured during stalls, as samples and delay. */
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
