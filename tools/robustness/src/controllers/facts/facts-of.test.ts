import { deployment, pod } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { amountOf } from "./amount.ts";
import { deploymentFacts, jobFacts, podFacts } from "./facts-of.ts";

test.each([
  [2, 10, "up", 2],
  ["25%", 10, "up", 3],
  ["25%", 10, "down", 2],
  ["0%", 10, "up", 0],
  ["100%", 7, "down", 7],
] as const)("%s of %i, rounded %s, are %i", (value, total, round, want) => {
  expect(amountOf(value, total, round)).toBe(want);
});

test("the facts of a pod", () => {
  const built = pod("web-1")
    .labels({ version: "v3" })
    .on("node-1")
    .ready()
    .finalizers("batch.orchernetes.io/job-tracking")
    .build();
  expect(podFacts(built)).toMatchObject({
    name: "web-1",
    version: "v3",
    node: "node-1",
    phase: "Running",
    ready: true,
    tracked: true,
  });
  expect(podFacts(built)).toMatchObject({ terminating: false, disrupted: false, index: undefined, owner: undefined });
});

test("of two limits that are 0, maxUnavailable counts as 1", () => {
  const built = deployment("web").build();
  const none = {
    ...built,
    spec: { ...built.spec, replicas: 3, strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: "25%" } } },
  };
  expect(deploymentFacts(none)).toMatchObject({ replicas: 3, surge: 0, unavailable: 1 });
});

test("the completed indexes of a job are read one by one", () => {
  const metadata = { name: "sum", uid: "u", resourceVersion: "1", creationTimestamp: "" };
  const template = { metadata: {}, spec: { containers: [] } };
  const status = { completedIndexes: "0-2,5,5" };
  expect(jobFacts({ metadata, spec: { template, completionMode: "Indexed" }, status }).completedIndexes).toEqual([
    0, 1, 2, 5, 5,
  ]);
});
