import { expect, test } from "vitest";
import { testPod } from "../../testing/pods.ts";
import { cpuQuotaUs, cpuShares, cpuWeight } from "./cgroup-resources.ts";
import { type PodGroupPolicy, podGroupResources, podResources } from "./pod-resources.ts";

test.each([
  [0, 2, 1],
  [1, 2, 1],
  [500, 512, 20],
  [1_000_000, 262_144, 10_000],
])("%i millicores are %i shares, or weight %i", (milli, shares, weight) => {
  expect(cpuShares(milli)).toBe(shares);
  expect(cpuWeight(shares)).toBe(weight);
});

test("a quota is at least 1 ms", () => {
  expect([cpuQuotaUs(250, 100), cpuQuotaUs(250, 10), cpuQuotaUs(1, 100)]).toEqual([25_000, 2500, 1000]);
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
  expect(podResources(testPod(spec))).toMatchObject(want);
});

const policy: PodGroupPolicy = {
  cpu: { quota: true, periodMs: 100 },
  podPidsLimit: -1,
  hugePageSizes: ["2Mi", "1Gi"],
  memoryQos: false,
};
const mib = 1024 ** 2;
const full = { cpu: "500m", memory: "64Mi", "hugepages-2Mi": "4Mi" };

test.each<[string, object, Partial<PodGroupPolicy>, object]>([
  [
    "limits of CPU, memory and huge pages",
    asking(full, full),
    {},
    { cpuShares: 512, cpuQuotaUs: 50_000, cpuPeriodUs: 100_000, memoryBytes: 64 * mib, pids: undefined },
  ],
  [
    "no quota without cpuCFSQuota",
    asking(full, full),
    { cpu: { quota: false, periodMs: 100 } },
    { cpuQuotaUs: undefined, cpuPeriodUs: undefined },
  ],
  [
    "a quota of cpuCFSQuotaPeriod",
    asking(full, full),
    { cpu: { quota: true, periodMs: 20 } },
    { cpuQuotaUs: 10_000, cpuPeriodUs: 20_000 },
  ],
  ["podPidsLimit processes", asking({}), { podPidsLimit: 64 }, { pids: 64 }],
  ["protected memory with MemoryQoS", asking({ memory: "32Mi" }), { memoryQos: true }, { memoryMinBytes: 32 * mib }],
  ["no protected memory without requests", asking({}), { memoryQos: true }, { memoryMinBytes: undefined }],
  ["no limit that the kernel cannot read", asking({}, { memory: "8Ei", cpu: "1" }), {}, { memoryBytes: -1 }],
])("the group of a pod has %s", (_, container, changes, want) => {
  expect(podGroupResources(testPod({ containers: [container] }), { ...policy, ...changes })).toMatchObject(want);
});

test("the huge pages of a pod are limited by size", () => {
  const { hugePages } = podGroupResources(testPod({ containers: [asking(full, full), asking(full, full)] }), policy);
  expect(hugePages).toEqual(
    new Map([
      ["2MB", 8 * mib],
      ["1GB", 0],
    ]),
  );
});
