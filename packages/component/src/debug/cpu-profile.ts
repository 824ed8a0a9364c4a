import type { Profiler } from "node:inspector";
import { setTimeout as sleep } from "node:timers/promises";
import type { Inspection } from "./inspect.ts";
import type { Profile, ProfileNode } from "./profile-tree.ts";

const samplingIntervalUs = 1000;

/** A V8 CPU profile with the time it began at; Chrome DevTools opens the profile as `.cpuprofile`. */
export interface CpuProfile {
  readonly startedMs: number;
  readonly profile: Profiler.Profile;
}

/** Samples what the main thread does for `durationMs`, or until `signal` aborts. */
export function takeCpuProfile(durationMs: number, signal: AbortSignal): Inspection<CpuProfile> {
  return async (session) => {
    await session.post("Profiler.enable");
    await session.post("Profiler.setSamplingInterval", { interval: samplingIntervalUs });
    const startedMs = Date.now();
    await session.post("Profiler.start");
    await sleep(durationMs, undefined, { signal }).catch(() => undefined);
    const { profile } = await session.post("Profiler.stop");
    return { startedMs, profile };
  };
}

/** Not work of the program: waiting for events. */
const idle = "(idle)";

/**
 * The CPU profile as samples and nanoseconds per call stack; idle time is left out.
 * @param counts whether the sample at this time (microseconds of the monotonic clock) is counted. @default all
 */
export function cpuProfileTree({ startedMs, profile }: CpuProfile, counts?: (timeUs: number) => boolean): Profile {
  const measured = new Map<number, { samples: number; us: number }>();
  let time = profile.startTime;
  const { samples = [], timeDeltas = [] } = profile;
  for (const [index, id] of samples.entries()) {
    time += timeDeltas[index] ?? 0;
    if (counts !== undefined && !counts(time)) continue;
    const entry = measured.get(id) ?? { samples: 0, us: 0 };
    entry.samples++;
    // A sample represents the time until the next one.
    entry.us += Math.max(0, timeDeltas[index + 1] ?? samplingIntervalUs);
    measured.set(id, entry);
  }
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const treeOf = (node: Profiler.ProfileNode): ProfileNode => {
    const entry = node.callFrame.functionName === idle ? undefined : measured.get(node.id);
    return {
      frame: node.callFrame,
      ...(entry === undefined ? {} : { values: [entry.samples, entry.us * 1000] }),
      children: (node.children ?? []).flatMap((id) => {
        const child = nodes.get(id);
        return child === undefined ? [] : [treeOf(child)];
      }),
    };
  };
  const [root] = profile.nodes;
  return {
    sampleTypes: [
      ["samples", "count"],
      ["cpu", "nanoseconds"],
    ],
    root:
      root === undefined ? { frame: { functionName: "(root)", url: "", lineNumber: -1 }, children: [] } : treeOf(root),
    startedMs,
    durationMs: (profile.endTime - profile.startTime) / 1000,
    period: { type: ["cpu", "nanoseconds"], value: samplingIntervalUs * 1000 },
  };
}
