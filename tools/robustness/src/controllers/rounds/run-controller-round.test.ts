import { afterAll, beforeAll, expect, test } from "vitest";
import { seededRandom } from "../../random.ts";
import { type ControllerCluster, startControllerCluster } from "./controller-cluster.ts";
import { runControllerRound } from "./run-controller-round.ts";

let cluster: ControllerCluster;
beforeAll(async () => {
  cluster = await startControllerCluster("embedded", seededRandom(1));
});
afterAll(() => cluster?.stop());

test.each(["killLeader", "pauseLeader", "cutLeader"] as const)("two managers keep every promise: %s", async (fault) => {
  const before = cluster.managers.terms();
  const name = `round-${fault.toLowerCase()}`;
  const { findings, history } = await runControllerRound({
    cluster,
    name,
    fault,
    faultMs: 500,
    random: seededRandom(7),
  });
  expect(findings).toEqual([]);
  expect(history.events.length).toBeGreaterThan(200);
  if (fault !== "cutLeader") expect(cluster.managers.terms()).toBeGreaterThan(before);
});
