import { node, type PodBuilder, pod } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import type { Snapshot, SnapshotQueueEntry } from "../snapshot/snapshot.ts";
import { randomCluster } from "../testing/random/random-cluster.ts";
import { type RestoredState, restoreSnapshot } from "./restore-snapshot.ts";
import { simulate, waitingPods } from "./simulate.ts";

const waiting = (name: string) => pod(name).requests({ cpu: "1" }).spec({ schedulerName: "default-scheduler" });
const entry = (name: string): SnapshotQueueEntry => ({
  pod: `default/${name}`,
  type: "queued",
  place: "unschedulable",
  attempts: 1,
  waitingSeconds: 1,
});

/** A state with one node for one of the pods, which are in this order in the queue. */
function restored(pods: readonly PodBuilder[], queue: readonly string[]): RestoredState {
  const snapshot: Snapshot = {
    ...randomCluster(1),
    configuration: { profiles: [{}], percentageOfNodesToScore: 0, featureGates: {} },
    nodes: [node("a").capacity({ cpu: "1", pods: "10" }).build()],
    freeSlots: [],
    placed: [],
    assumed: [],
    nominated: [],
    pending: pods.map((one) => one.build()),
    queue: queue.map(entry),
    attempts: [],
    extenders: [],
    budgets: [],
  };
  return restoreSnapshot(snapshot);
}

const simulated = (state: RestoredState) => simulate(state, waitingPods(state), []);

test("pods are scheduled by priority, and those of equal priority in the order of the queue", () => {
  const pods = [waiting("a"), waiting("b"), waiting("c").priority(1)];
  const names = waitingPods(restored(pods, ["b", "c", "a"])).map(({ metadata }) => metadata.name);
  expect(names).toEqual(["c", "b", "a"]);
});

test("pods that terminate are not scheduled", () => {
  expect(simulated(restored([waiting("a").deletedAt()], ["a"])).pods).toEqual([]);
});

test("a pod with scheduling gates is not scheduled, and uses no resources", () => {
  const gated = waiting("gated").spec({
    schedulerName: "default-scheduler",
    schedulingGates: [{ name: "example.com/quota" }],
  });
  const { pods, explanation } = simulated(restored([gated, waiting("b")], ["gated", "b"]));
  expect(pods).toEqual([
    { pod: "default/gated", type: "held", message: "waiting for scheduling gates: [example.com/quota]" },
    { pod: "default/b", type: "node", node: "a" },
  ]);
  expect(explanation).toBeUndefined();
});
