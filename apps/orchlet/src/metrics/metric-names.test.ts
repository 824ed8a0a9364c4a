import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMetrics, type MetricDescription } from "@orchernetes/component";
import { type CriClient, CriError } from "@orchernetes/cri";
import { FakeClock, silentLogger } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { createResourceManager } from "../container-manager/resource-manager/resource-manager.ts";
import { measureRequests } from "../server/requests/request-metrics.ts";
import { testConfig } from "../testing/config.ts";
import { testPod } from "../testing/pods.ts";
import { createFakeRuntime } from "../testing/runtime.ts";
import { sourceAnnotation } from "../types/pod-identity.ts";
import { addEvictionMetrics } from "./eviction-metrics.ts";
import { addLogMetrics } from "./log-metrics.ts";
import { measuredCri, operationType } from "./measured-cri.ts";
import { addNodeWorkMetrics } from "./node-work-metrics.ts";
import { addPodLifeMetrics } from "./pod-life-metrics.ts";
import { addPodMetrics } from "./pod-metrics.ts";
import { measuredReader } from "./relist-metrics.ts";
import { addVolumeMetrics } from "./volume-metrics.ts";

const file = join(import.meta.dirname, "../../../../packages/testkit/facts/metrics.json");

interface Fact {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  readonly buckets?: string;
}

const facts = new Map(
  (JSON.parse(readFileSync(file, "utf8")) as { readonly metrics: readonly Fact[] }).metrics.map((fact) => [
    fact.name,
    fact,
  ]),
);
const clock = new FakeClock("2023-06-01T00:00:00Z");
const text = (metrics: ReturnType<typeof createMetrics>, name: string) =>
  metrics
    .render(new Set([name]))
    .split("\n")
    .filter((line) => line.startsWith(name));

test("the agent's own metrics have the names, types and labels of those of the kubelet", () => {
  const metrics = createMetrics();
  measuredCri(createFakeRuntime().cri, metrics, clock);
  measuredReader({ outline: async () => new Map() }, metrics, clock);
  addPodMetrics(metrics, "node-a", { desired: () => [], active: () => [], mirrors: () => 0, working: () => [] });
  addPodLifeMetrics(metrics, clock);
  addNodeWorkMetrics(metrics);
  addEvictionMetrics(metrics);
  addLogMetrics(metrics, () => [], String);
  measureRequests(metrics, clock, "readwrite");
  addVolumeMetrics(metrics, () => []);
  const folder = mkdtempSync(join(tmpdir(), "o8s-metric-names-"));
  const { settings } = testConfig(folder, { settings: { cpuManagerPolicy: "static", reservedSystemCPUs: "0" } });
  createResourceManager({ settings, folder, sys: undefined, metrics, clock, logger: silentLogger });
  rmSync(folder, { recursive: true });
  const own = metrics.describe().filter(({ name }) => name.startsWith("orchlet_"));
  const shown = ({ name, type, labels }: MetricDescription) => ({ name, type, labels: labels.toSorted() });
  const want = own.map(({ name }) => {
    const { type = "", labels = [] } = facts.get(name) ?? {};
    return { name, type: type.toLowerCase(), labels: labels.toSorted() };
  });
  expect(own.map(shown)).toEqual(want);
  expect(own.length).toBeGreaterThan(15);
});

test("calls to the runtime are counted by operation, and sandboxes by handler", async () => {
  const metrics = createMetrics();
  const fails = async () => Promise.reject(new CriError("RunPodSandbox", "Internal", "no"));
  const inner = createFakeRuntime().cri;
  const cri = measuredCri(
    { ...inner, runtime: { ...inner.runtime, runPodSandbox: fails } } as unknown as CriClient,
    metrics,
    clock,
  );
  await cri.runtime.listContainers({});
  await cri.images.listImages({});
  await expect(cri.runtime.runPodSandbox({ runtimeHandler: "kata" })).rejects.toThrow("no");
  expect(text(metrics, "orchlet_runtime_operations_total")).toEqual([
    'orchlet_runtime_operations_total{operation_type="list_containers"} 1',
    'orchlet_runtime_operations_total{operation_type="list_images"} 1',
    'orchlet_runtime_operations_total{operation_type="run_podsandbox"} 1',
  ]);
  expect(text(metrics, "orchlet_runtime_operations_errors_total")).toEqual([
    'orchlet_runtime_operations_errors_total{operation_type="run_podsandbox"} 1',
  ]);
  expect(text(metrics, "orchlet_run_podsandbox_errors_total")).toEqual([
    'orchlet_run_podsandbox_errors_total{runtime_handler="kata"} 1',
  ]);
  expect(text(metrics, "orchlet_started_pods_errors_total")).toEqual(["orchlet_started_pods_errors_total 1"]);
});

test.each([
  ["listPodSandboxStats", "list_podsandbox_stats"],
  ["podSandboxStatus", "podsandbox_status"],
  ["portForward", "port_forward"],
  ["updateContainerResources", "update_container"],
  ["imageFsInfo", "image_fs_info"],
])("%s is %s", (method, operation) => {
  expect(operationType(method)).toBe(operation);
});

test("pods are counted by their source when the page is read", () => {
  const metrics = createMetrics();
  const pods = [testPod({}), testPod({}, { annotations: { [sourceAnnotation]: "file" } }), testPod({})];
  addPodMetrics(metrics, "node-a", {
    desired: () => pods,
    active: () => pods.slice(1),
    mirrors: () => 4,
    working: () => [
      ...pods.map((pod) => ({ pod, removed: false, isEnding: false, isOver: false })),
      { pod: pods[1], removed: true, isEnding: true, isOver: false },
      { pod: undefined, removed: true, isEnding: true, isOver: true },
    ],
  });
  expect(text(metrics, "orchlet_desired_pods")).toEqual([
    'orchlet_desired_pods{static=""} 2',
    'orchlet_desired_pods{static="true"} 1',
  ]);
  expect(text(metrics, "orchlet_active_pods")).toEqual([
    'orchlet_active_pods{static=""} 1',
    'orchlet_active_pods{static="true"} 1',
  ]);
  expect(text(metrics, "orchlet_mirror_pods")).toEqual(["orchlet_mirror_pods 4"]);
  const working = text(metrics, "orchlet_working_pods");
  expect(working).toHaveLength(15);
  expect(working.filter((line) => !line.endsWith(" 0"))).toEqual([
    'orchlet_working_pods{lifecycle="sync",config="desired",static=""} 2',
    'orchlet_working_pods{lifecycle="sync",config="desired",static="true"} 1',
    'orchlet_working_pods{lifecycle="terminating",config="orphan",static="true"} 1',
    'orchlet_working_pods{lifecycle="terminated",config="runtime_only",static="unknown"} 1',
  ]);
  expect(text(metrics, "orchlet_node_name")).toEqual(['orchlet_node_name{node="node-a"} 1']);
});

test("relists of pods are measured, and running pods and containers are counted", async () => {
  const metrics = createMetrics();
  const pod = (uid: string, running: number) => ({ uid, name: uid, namespace: "n", fingerprint: "", running });
  const reader = measuredReader(
    { outline: async () => new Map([pod("a", 2), pod("b", 0), pod("c", 1)].map((one) => [one.uid, one])) },
    metrics,
    clock,
  );
  await reader.outline();
  clock.advance(1000);
  await reader.outline();
  expect(text(metrics, "orchlet_running_pods")).toEqual(["orchlet_running_pods 2"]);
  expect(text(metrics, "orchlet_running_containers")).toEqual([
    'orchlet_running_containers{container_state="running"} 3',
  ]);
  expect(text(metrics, "orchlet_pleg_relist_interval_seconds")).toContain("orchlet_pleg_relist_interval_seconds_sum 1");
});

test("volumes of claims are shown while they are prepared", () => {
  const metrics = createMetrics();
  const time = new Date(0);
  const pvcRef = { name: "p", namespace: "n" };
  let usages = [
    { volumeName: "a", time, pvcRef, usedBytes: 5, health: { abnormal: true } },
    { volumeName: "b", time, usedBytes: 7 },
  ];
  addVolumeMetrics(metrics, () => usages);
  const labels = '{namespace="n",persistentvolumeclaim="p"}';
  expect(text(metrics, "orchlet_volume_stats_used_bytes")).toEqual([`orchlet_volume_stats_used_bytes${labels} 5`]);
  expect(text(metrics, "orchlet_volume_stats_health_status_abnormal")).toEqual([
    `orchlet_volume_stats_health_status_abnormal${labels} 1`,
  ]);
  expect(text(metrics, "orchlet_volume_stats_inodes")).toEqual([]);
  usages = [];
  expect(text(metrics, "orchlet_volume_stats_used_bytes")).toEqual([]);
});
