import { createMetrics } from "@orchernetes/component";
import { FakeClock, silentLogger, systemClock } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import type { NodeView } from "../cluster/node-view.ts";
import type { PodView } from "../cluster/pod-view.ts";
import type { OrchletClient } from "./orchlet-client.ts";
import { createScrapeMetrics } from "./scrape-metrics.ts";
import { scrapeNodes } from "./scraper.ts";

const node = (name: string): NodeView => ({ metadata: { name }, addresses: [], agentPort: 0, isReady: true });
const pod = (name: string, ...containers: readonly string[]): PodView => ({
  metadata: { name, namespace: "ns" },
  node: "",
  containers,
});
const point = { startMs: 0, timestampMs: 1, cpuSeconds: 1, memoryBytes: 1 };
const never = new AbortController().signal;

function setUp(read: OrchletClient["read"], nodes: readonly NodeView[], timeoutMs = 1000) {
  const metrics = createMetrics();
  const logged: string[] = [];
  const clock = systemClock;
  const options = {
    nodes: () => nodes,
    podsOn: (name: string) => [pod(`of-${name}`, "c")],
    client: { read, close() {} },
    timeoutMs,
    metrics: createScrapeMetrics(metrics, 60_000, clock),
    clock,
    logger: { ...silentLogger, error: (error: unknown) => void logged.push(String(error)) },
  };
  return { options, metrics, logged };
}

test("all nodes are read, each asked about its own pods, and those that fail are missing", async () => {
  const asked: string[] = [];
  const { options, metrics, logged } = setUp(
    async ({ metadata }, mayReport) => {
      const name = metadata.name ?? "";
      for (const of of ["a", "b"]) if (mayReport(`ns/of-${of}`, "c")) asked.push(`${name} ${of}`);
      if (mayReport(`ns/of-${name}`, "d")) asked.push("a foreign container");
      if (name === "b") throw new Error("broken");
      return { node: point, pods: new Map([[`ns/of-${name}`, new Map([["c", point]])]]) };
    },
    [node("a"), node("b")],
  );
  const batch = await scrapeNodes(options, never);
  expect(asked.sort()).toEqual(["a a", "b b"]);
  expect([...batch.nodes.keys()]).toEqual(["a"]);
  expect([...batch.pods.keys()]).toEqual(["ns/of-a"]);
  expect(logged).toEqual(["broken"]);
  const page = metrics.render();
  expect(page).toContain('metrics_server_orchlet_request_total{success="true"} 1\n');
  expect(page).toContain('metrics_server_orchlet_request_total{success="false"} 1\n');
  expect(page).toContain('metrics_server_orchlet_request_duration_seconds_count{node="a"} 1\n');
});

test("a slow node does not hold up the others, and is given up", async () => {
  const { options, logged } = setUp(
    ({ metadata }, _, signal) =>
      metadata.name === "fast"
        ? Promise.resolve({ node: point, pods: new Map() })
        : new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    [node("slow"), node("fast")],
    50,
  );
  expect([...(await scrapeNodes(options, never)).nodes.keys()]).toEqual(["fast"]);
  expect(logged).toEqual(["no response within 0.05s"]);
});

test("requests are spread in time, and none begins after the end", async () => {
  const clock = new FakeClock("2023-06-01T00:00:00Z");
  const stop = new AbortController();
  let reads = 0;
  const { options } = setUp(
    async () => {
      reads++;
      return { node: point, pods: new Map() };
    },
    Array.from({ length: 1000 }, (_, i) => node(`n${i}`)),
  );
  let turn = 0;
  const done = scrapeNodes({ ...options, clock, random: () => (turn++ % 10) / 10 }, stop.signal);
  await clock.advanceAsync(2000);
  expect(reads).toBe(600);
  stop.abort();
  await clock.advanceAsync(4000);
  expect((await done).nodes.size).toBe(600);
});
