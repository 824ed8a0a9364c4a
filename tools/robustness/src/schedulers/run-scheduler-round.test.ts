import { afterAll, beforeAll, expect, test } from "vitest";
import { seededRandom } from "../random.ts";
import { runSchedulerRound } from "./run-scheduler-round.ts";
import { type SchedulerCluster, startSchedulerCluster } from "./scheduler-cluster.ts";

let cluster: SchedulerCluster;
beforeAll(async () => {
  cluster = await startSchedulerCluster("embedded");
});
afterAll(() => cluster?.stop());

test.each(["killLeader", "freezeLeader"] as const)(
  "two schedulers bind no pod twice and fill no node beyond its capacity: %s",
  async (fault) => {
    const before = cluster.schedulers.terms();
    const name = `round-${fault.toLowerCase()}`;
    const { findings, history } = await runSchedulerRound({
      cluster,
      name,
      fault,
      faultMs: 500,
      random: seededRandom(7),
    });
    expect(findings).toEqual([]);
    expect(history.events.length).toBeGreaterThan(40);
    expect(cluster.schedulers.terms()).toBeGreaterThan(before);
  },
);
