import { expect, test } from "vitest";
import { testPod } from "../testing/pods.ts";
import { type ContainerResourcePolicy, linuxResources, oomScoreAdj } from "./resources.ts";

const gib = 1024 ** 3;
const same = { requests: { cpu: "1", memory: "1Gi" }, limits: { cpu: "1", memory: "1Gi" } };

// shows: oomScoreAdj
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

const policy: ContainerResourcePolicy = {
  cpu: { quota: true, periodMs: 100 },
  memoryBytes: 4 * gib,
  allocatableMemoryBytes: 3 * gib,
  hugePageSizes: ["2Mi", "1Gi"],
  swapBehavior: undefined,
  memoryThrottlingFactor: undefined,
};

function resourcesOf(resources: object, changes: Partial<ContainerResourcePolicy> = {}) {
  const pod = testPod({ containers: [{ name: "c", image: "i", resources }] });
  const [container] = pod.spec.containers;
  return container && linuxResources(pod, container, { ...policy, ...changes });
}

// shows: cpuCFSQuota, cpuCFSQuotaPeriod
test.each([
  [true, 100, { cpuPeriod: 100_000, cpuQuota: 50_000 }],
  [true, 20, { cpuPeriod: 20_000, cpuQuota: 10_000 }],
  [false, 100, { cpuPeriod: 0, cpuQuota: 0 }],
])("with cpuCFSQuota %s and a period of %i ms, half a CPU is %j", (quota, periodMs, want) => {
  expect(resourcesOf({ limits: { cpu: "500m" } }, { cpu: { quota, periodMs } })).toMatchObject(want);
});

test("huge pages are limited by size, and those of other sizes are forbidden", () => {
  const limits = { "hugepages-2Mi": "4Mi", memory: "1Gi" };
  expect(resourcesOf({ limits, requests: limits })?.hugepageLimits).toEqual([
    { pageSize: "2MB", limit: 4 * 1024 ** 2 },
    { pageSize: "1GB", limit: 0 },
  ]);
});

// shows: memorySwap.swapBehavior
test.each([
  [undefined, 0],
  ["", gib],
  ["LimitedSwap", gib],
  ["UnlimitedSwap", -1],
] as const)("with swapBehavior %j, memory and swap of a container are limited to %i", (swapBehavior, want) => {
  expect(resourcesOf({ limits: { memory: "1Gi" } }, { swapBehavior })?.memorySwapLimitInBytes).toBe(want);
});

// shows: memoryThrottlingFactor
test.each([
  ["no gate", { requests: { memory: "1Gi" } }, undefined, {}],
  ["request and limit", { requests: { memory: "1Gi" }, limits: { memory: "2Gi" } }, 0.5, [1, 1.5]],
  ["a request alone, up to what pods may use", { requests: { memory: "1Gi" } }, 0.5, [1, 2]],
  ["a limit alone", { limits: { memory: "1Gi" }, requests: { memory: "0" } }, 0.9, [0, 0.9]],
  ["a request that is the limit", same, 0.9, [1, undefined]],
])("memoryThrottlingFactor with %s", (_, resources, memoryThrottlingFactor, want) => {
  const [min, high] = Array.isArray(want) ? want : [];
  expect(resourcesOf(resources, { memoryThrottlingFactor })?.unified).toEqual({
    ...(min ? { "memory.min": String(min * gib) } : {}),
    ...(high === undefined ? {} : { "memory.high": String(Math.floor((high * gib) / 4096) * 4096) }),
  });
});
