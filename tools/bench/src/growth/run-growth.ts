import { startBenchServer } from "../servers/bench-server.ts";
import { longestStallMs } from "../servers/loop-delay.ts";
import { type CrowdPoint, measureCrowd } from "./crowd-point.ts";
import { type GrowthPoint, measurePoint } from "./growth-point.ts";

/** The numbers of pods and of watchers at which the server is measured. */
export interface GrowthPlan {
  readonly pods: readonly number[];
  readonly watchers: readonly number[];
  /** Events that are delivered at each number of watchers, to all of them together. */
  readonly events: number;
}

export const wholePlan: GrowthPlan = {
  pods: [1000, 10_000, 100_000, 150_000],
  watchers: [500, 1000, 5000],
  events: 500_000,
};
export const quickPlan: GrowthPlan = { pods: [1000, 4000], watchers: [100, 500], events: 20_000 };

/** Measures every point of the plan with servers of its own. */
export async function runGrowth(
  store: "etcd" | "embedded",
  plan: GrowthPlan,
  print: (line: string) => void,
): Promise<{ readonly points: readonly GrowthPoint[]; readonly crowds: readonly CrowdPoint[] }> {
  const points: GrowthPoint[] = [];
  const crowds: CrowdPoint[] = [];
  const server = await startBenchServer(store);
  try {
    for (const [index, pods] of plan.pods.entries()) {
      print(`measuring with ${pods} pods`);
      points.push(await measurePoint(server, plan.pods[index - 1] ?? 0, pods, { watchers: 100, creates: 500 }));
    }
  } finally {
    await server.stop();
  }
  for (const watchers of plan.watchers) {
    print(`measuring with ${watchers} watchers`);
    const fresh = await startBenchServer(store);
    try {
      await longestStallMs(fresh);
      crowds.push(await measureCrowd(fresh, watchers, plan.events));
    } finally {
      await fresh.stop();
    }
  }
  return { points, crowds };
}
