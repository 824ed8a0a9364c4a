import { expect, test } from "vitest";
import { testPod } from "../testing/pods.ts";
import { cpuShares, oomScoreAdj, podResources } from "./resources.ts";

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

const asking = (requests: Record<string, string>, limits: Record<string, string> = {}) => ({
  name: "c",
  image: "i",
  resources: { requests, limits },
});

test.each([
  [
    "its containers together, with overhead",
    {
      containers: [asking({ cpu: "1" }, { cpu: "2" }), asking({ cpu: "500m" }, { cpu: "1" })],
      overhead: { cpu: "100m" },
    },
    { requestMilliCpu: 1600, limitMilliCpu: 3100, memoryLimitBytes: undefined },
  ],
  [
    "its largest init container",
    {
      containers: [asking({ cpu: "1" }, { memory: "1Ki" })],
      initContainers: [asking({ cpu: "3" }, { memory: "2Ki" })],
    },
    { requestMilliCpu: 3000, limitMilliCpu: undefined, memoryLimitBytes: 2048 },
  ],
  [
    "no limit that one container has not",
    { containers: [asking({}, { cpu: "1" }), asking({}, { memory: "1Ki" })] },
    { requestMilliCpu: 1000, limitMilliCpu: undefined, memoryLimitBytes: undefined },
  ],
  [
    "nothing for best effort, whatever its overhead",
    { containers: [asking({})], overhead: { cpu: "250m", memory: "64Mi" } },
    { requestMilliCpu: 0, limitMilliCpu: undefined, memoryLimitBytes: undefined },
  ],
])("a pod's control group has %s", (_, spec, want) => {
  expect(podResources(testPod(spec))).toEqual(want);
});
