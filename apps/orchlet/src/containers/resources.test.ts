import { expect, test } from "vitest";
import { testPod } from "../testing/pods.ts";
import { cpuShares, oomScoreAdj } from "./resources.ts";

const gib = 1024 ** 3;
const same = { requests: { cpu: "1", memory: "1Gi" }, limits: { cpu: "1", memory: "1Gi" } };

test.each([
  ["a pod that asks for nothing", {}, {}, 1000],
  ["a guaranteed pod", same, {}, -997],
  ["a pod that asks for a quarter of the memory", { requests: { memory: "1Gi" } }, {}, 750],
  ["a pod that asks for next to nothing", { requests: { memory: "1Ki" } }, {}, 999],
  ["a pod that asks for more than there is", { requests: { memory: "9Gi" } }, {}, 3],
  ["a node-critical pod", {}, { priorityClassName: "system-node-critical", priority: 2_000_001_000 }, -997],
  ["a cluster-critical pod", {}, { priorityClassName: "system-cluster-critical", priority: 2_000_000_000 }, 1000],
])("the OOM score of %s", (_, resources, spec, want) => {
  const pod = testPod({ containers: [{ name: "c", image: "i", resources }], ...spec });
  const [container] = pod.spec.containers;
  expect(container && oomScoreAdj(pod, container, 4 * gib)).toBe(want);
});

test.each([
  [0, 2],
  [1, 2],
  [500, 512],
  [1_000_000, 262_144],
])("%i thousandths of a CPU have %i shares", (milli, shares) => {
  expect(cpuShares(milli)).toBe(shares);
});
