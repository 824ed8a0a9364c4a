import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMetrics } from "@orchernetes/component";
import { silentLogger } from "@orchernetes/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { testPod } from "../../testing/pods.ts";
import { openPodResources } from "./pod-resources-api.ts";
import { type AssignedResources, type PodResourcesOptions, runPodResourcesServer } from "./pod-resources-server.ts";

let dir: string;
let stop: AbortController;
const clients: { close(): void }[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-pod-resources-"));
  stop = new AbortController();
});
afterEach(() => {
  stop.abort();
  for (const client of clients.splice(0)) client.close();
  rmSync(dir, { recursive: true, force: true });
});

const none: AssignedResources = { devices: [], cpus: [], memory: [] };
const some: AssignedResources = {
  devices: [
    { resource: "example.com/card", ids: ["a", "b"], node: 1 },
    { resource: "example.com/key", ids: ["k"], node: undefined },
  ],
  cpus: [2, 3],
  memory: [{ kind: "memory", bytes: 5 * 1024 ** 3, nodes: [0, 1] }],
};
const shown = {
  devices: [
    { resourceName: "example.com/card", deviceIds: ["a", "b"], topology: { nodes: [{ id: 1 }] } },
    { resourceName: "example.com/key", deviceIds: ["k"] },
  ],
  cpuIds: [2, 3],
  memory: [{ memoryType: "memory", size: 5 * 1024 ** 3, topology: { nodes: [{ id: 0 }, { id: 1 }] } }],
};

async function serve(gates: readonly string[] = [], changes: Partial<PodResourcesOptions> = {}) {
  const metrics = createMetrics();
  const socketPath = join(dir, "pod-resources/orchlet.sock");
  const containers = [
    { name: "a", image: "i" },
    { name: "b", image: "i" },
  ];
  await runPodResourcesServer(
    {
      ...{ socketPath, metrics, logger: silentLogger },
      active: () => [testPod({ containers }, { uid: "u1", name: "web", namespace: "n" })],
      assigned: (uid, container) => (uid === "u1" && container === "b" ? some : none),
      allocatable: () => some,
      featureEnabled: (gate) => gates.includes(gate),
      ...changes,
    },
    stop.signal,
  );
  const open = (version: "v1" | "v1alpha1" = "v1") => {
    const client = openPodResources(socketPath, version);
    clients.push(client);
    return client.calls;
  };
  const count = (name: string) =>
    metrics
      .render(new Set([`orchlet_pod_resources_endpoint_${name}`]))
      .split("\n")
      .filter((line) => line.startsWith("orchlet"));
  const described = () => metrics.describe().flatMap(({ name }) => (name.includes("_pod_resources_") ? name : []));
  return { open, count, described };
}

test("pods are listed with the resources of their containers", async () => {
  const { open, count } = await serve();
  expect(await open().list({})).toEqual({
    podResources: [
      {
        name: "web",
        namespace: "n",
        containers: [
          { name: "a", devices: [], cpuIds: [], memory: [] },
          { name: "b", ...shown },
        ],
      },
    ],
  });
  expect(count("requests_list")).toEqual(['orchlet_pod_resources_endpoint_requests_list{server_api_version="v1"} 1']);
});

test("version v1alpha1 shows only devices", async () => {
  const { open, count } = await serve();
  const [pod] = (await open("v1alpha1").list({})).podResources;
  expect(pod?.containers[1]).toEqual({ name: "b", devices: shown.devices, cpuIds: [], memory: [] });
  await expect(open("v1alpha1").get({})).rejects.toThrow("Unimplemented");
  expect(count("requests_total")).toEqual([
    'orchlet_pod_resources_endpoint_requests_total{server_api_version="v1alpha1"} 1',
  ]);
});

test("allocatable resources are shown unless their feature gate is disabled", async () => {
  const { open } = await serve(["OrchletPodResourcesGetAllocatable"]);
  expect(await open().getAllocatableResources({})).toEqual(shown);
  stop.abort();
  stop = new AbortController();
  const other = await serve();
  await expect(other.open().getAllocatableResources({})).rejects.toThrow(
    "PodResources API GetAllocatableResources disabled",
  );
  expect(other.count("errors_get_allocatable")).toEqual([
    'orchlet_pod_resources_endpoint_errors_get_allocatable{server_api_version="v1"} 1',
  ]);
});

test("a single pod is shown if its feature gate is enabled", async () => {
  const { open } = await serve(["OrchletPodResourcesGet"]);
  const { podResources } = await open().get({ podName: "web", podNamespace: "n" });
  expect(podResources?.containers.map(({ name }) => name)).toEqual(["a", "b"]);
  await expect(open().get({ podName: "other", podNamespace: "n" })).rejects.toThrow(
    "pod other in namespace n not found",
  );
  stop.abort();
  stop = new AbortController();
  const other = await serve();
  await expect(other.open().get({ podName: "web", podNamespace: "n" })).rejects.toThrow(
    "PodResources API Get method disabled",
  );
});

test("the metrics are those of the kubelet", async () => {
  const { described } = await serve();
  const file = join(import.meta.dirname, "../../../../../packages/testkit/facts/metrics.json");
  const facts = JSON.parse(readFileSync(file, "utf8")) as { readonly metrics: readonly { readonly name: string }[] };
  const known = facts.metrics.map(({ name }) => name).filter((name) => name.includes("_pod_resources_"));
  expect(described().toSorted()).toEqual(known.toSorted());
});

test("an agent that cannot serve the socket runs without it", async () => {
  await serve();
  await serve([], { socketPath: join(dir, "x".repeat(120)) });
});
