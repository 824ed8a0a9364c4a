import { expect, test } from "vitest";
import type { Facts } from "../facts/facts.ts";
import { replay } from "../history/replay.ts";
import { daemonSet, deployment, historyOf, job, pod, replicaSet, statefulSet } from "../history/testing.ts";
import { unsettled } from "./unsettled.ts";

const web = deployment({ replicas: 1 });
const set = replicaSet({ owner: "web", replicas: 1, available: 1 });
const db = statefulSet({ replicas: 1 });
const agent = daemonSet({ replicas: 1, available: 1 });
const sum = job({ finished: "Complete", succeeded: 3 });
const settled: readonly Facts[] = [
  web,
  set,
  pod("web-1", set),
  db,
  pod("db-0", db),
  agent,
  pod("agent-1", agent, { node: "n1" }),
  sum,
  pod("sum-1", sum, { phase: "Succeeded" }),
];

test("everything as it should be is settled", () => {
  expect(unsettled(replay(historyOf(settled)))).toEqual([]);
});

test.each<[string, Facts, string]>([
  ["a pod without an owner", pod("lost", replicaSet({ uid: "gone" })), "Pod lost: has no owner"],
  ["a terminating pod", pod("web-1", set, { terminating: true }), "Pod web-1: is still terminating"],
  ["a rollout that is not complete", deployment({ replicas: 1, version: "v2" }), "Deployment web: is not complete"],
  ["a Deployment that nobody has seen", deployment({ replicas: 1, generation: 2 }), "Deployment web: is not complete"],
  ["a ReplicaSet without its pods", replicaSet({ uid: "other" }), "has 0 available of 0 pods, and should have 3"],
  ["a pod too many", pod("web-2", set), "has 2 available of 2 pods, and should have 1"],
  ["a StatefulSet without its pods", statefulSet({ replicas: 2 }), "StatefulSet db: has 1 pods, and should have 2"],
  ["an old template", statefulSet({ replicas: 1, version: "v2" }), "StatefulSet db: db-0 is Running with template v1"],
  ["a second daemon", pod("agent-2", agent, { node: "n1" }), "DaemonSet agent: has 2 pods on 1 nodes"],
  ["a job that runs", job(), "Job sum: has completed 0 of 3"],
  ["a finished job with active pods", pod("sum-2", sum), "Job sum: is Complete and has active pods"],
  [
    "a pod that is not released",
    pod("sum-1", sum, { phase: "Succeeded", tracked: true }),
    "Job sum: is Complete and has not released its pods",
  ],
])("finds %s", (_, fact, want) => {
  expect(unsettled(replay(historyOf([...settled, fact]))).join("\n")).toContain(want);
});

test("pods below the partition keep their template", () => {
  const partitioned = statefulSet({ replicas: 1, version: "v2", partition: 1 });
  expect(unsettled(replay(historyOf([...settled, partitioned])))).toEqual([]);
});
