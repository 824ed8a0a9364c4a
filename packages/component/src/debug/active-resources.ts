import type { Profile } from "./profile-tree.ts";

/** The resources that keep the process alive, with their numbers: timers, sockets, requests to the system. */
export function activeResources(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of process.getActiveResourcesInfo()) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** The active resources as a profile with one frame each. It is the closest equivalent to Go's list of goroutines. */
export function activeResourcesTree(counts: ReadonlyMap<string, number>, nowMs: number): Profile {
  return {
    sampleTypes: [["goroutine", "count"]],
    root: {
      frame: { functionName: "(root)", url: "", lineNumber: -1 },
      children: [...counts].map(([functionName, count]) => ({
        frame: { functionName, url: "", lineNumber: -1 },
        values: [count],
        children: [],
      })),
    },
    startedMs: nowMs,
    durationMs: 0,
    period: { type: ["goroutine", "count"], value: 1 },
  };
}
