import type { CriClient } from "@orchernetes/cri";
import { FakeClock, silentLogger } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { containerNameLabel, podNameLabel, podNamespaceLabel, podUidLabel } from "../../runtime/labels.ts";
import { resourceMetrics } from "./resource-metrics.ts";

const second = 1_000_000_000n;
const labels = (pod: string, container: string) => ({
  [podUidLabel]: `uid-${pod}`,
  [podNameLabel]: pod,
  [podNamespaceLabel]: "ns",
  [containerNameLabel]: container,
});
const stats = (id: string, cpuSeconds: number | undefined, bytes: number) => ({
  attributes: { id, labels: {}, annotations: {} },
  ...(cpuSeconds !== undefined && { cpu: { timestamp: 1000n * second, usageCoreNanoSeconds: cpuSeconds * 1e9 } }),
  memory: { timestamp: 1001n * second, workingSetBytes: bytes },
});
const container = (id: string, pod: string, name: string) => ({
  id,
  createdAt: 990n * second + 250_000_000n,
  labels: labels(pod, name),
});

const criOf = (all: readonly object[] | Promise<never>, running: readonly object[]): CriClient =>
  ({
    runtime: {
      listContainerStats: async () => ({ stats: await all }),
      listContainers: async () => ({ containers: running }),
    },
  }) as unknown as CriClient;

const options = {
  machine: { memoryBytes: 2 ** 50 },
  clock: new FakeClock("2023-06-01T00:00:00Z"),
  logger: silentLogger,
};

test("the page has the node, its running containers with their start, and its pods", async () => {
  const cri = criOf(
    [stats("1", 1.5, 100), stats("2", 0.5, 50), stats("exited", 7, 7), stats("foreign", 7, 7)],
    [container("2", "web", "side"), container("1", "web", "main"), { id: "foreign", createdAt: 1n, labels: {} }],
  );
  const page = await resourceMetrics({ ...options, cri });
  expect(page.split("\n").filter((line) => /^(container|pod|scrape)/.test(line))).toEqual([
    'container_cpu_usage_seconds_total{container="main",namespace="ns",pod="web"} 1.5 1000000',
    'container_cpu_usage_seconds_total{container="side",namespace="ns",pod="web"} 0.5 1000000',
    'container_memory_working_set_bytes{container="main",namespace="ns",pod="web"} 100 1001000',
    'container_memory_working_set_bytes{container="side",namespace="ns",pod="web"} 50 1001000',
    'container_start_time_seconds{container="main",namespace="ns",pod="web"} 990.25',
    'container_start_time_seconds{container="side",namespace="ns",pod="web"} 990.25',
    'pod_cpu_usage_seconds_total{namespace="ns",pod="web"} 2 1000000',
    'pod_memory_working_set_bytes{namespace="ns",pod="web"} 150 1001000',
    "scrape_error 0",
  ]);
  expect(page).toMatch(/^node_cpu_usage_seconds_total \d+(\.\d+)? 1685577600000$/m);
  expect(page).toMatch(/^node_memory_working_set_bytes \d+ 1685577600000$/m);
  expect(page).toContain(
    "# HELP container_start_time_seconds [ALPHA] Start time of the container since unix epoch in seconds\n# TYPE container_start_time_seconds gauge\n",
  );
});

test("a pod has no counter until its containers have one, and hostile names stay inside their quotes", async () => {
  const running = [container("1", "web", 'a"} 1\n\\'), container("2", "web", "b")];
  const page = await resourceMetrics({ ...options, cri: criOf([stats("1", undefined, 1), stats("2", 1, 1)], running) });
  expect(page).not.toContain("pod_cpu");
  expect(page).toContain('container_memory_working_set_bytes{container="a\\"} 1\\n\\\\",namespace="ns",pod="web"} 1 ');
});

test("if the runtime does not respond, the page reports an error", async () => {
  const cri = criOf(Promise.reject(new Error("gone")), []);
  const page = await resourceMetrics({ ...options, cri });
  expect(page).toBe(
    "# HELP scrape_error [ALPHA] 1 if there was an error while getting container metrics, 0 otherwise\n# TYPE scrape_error gauge\nscrape_error 1\n",
  );
});
