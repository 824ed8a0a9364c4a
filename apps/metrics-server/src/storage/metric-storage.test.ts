import { expect, test } from "vitest";
import { MetricStorage } from "./metric-storage.ts";
import type { MetricsPoint } from "./metrics-point.ts";

const point = (seconds: number, cpuSeconds: number, more: Partial<MetricsPoint> = {}): MetricsPoint => ({
  startMs: 1000,
  timestampMs: seconds * 1000,
  cpuSeconds,
  memoryBytes: 1024,
  ...more,
});

/** A storage after one reading for each set of containers of the one pod, or of points of the one node. */
function after(...readings: readonly { readonly node?: MetricsPoint; readonly pod?: Record<string, MetricsPoint> }[]) {
  const storage = new MetricStorage({ resolutionMs: 60_000 });
  for (const { node, pod } of readings) {
    storage.store({
      nodes: new Map(node ? [["n", node]] : []),
      pods: new Map(pod ? [["ns/p", new Map(Object.entries(pod))]] : []),
    });
  }
  return storage;
}

test("usage is the average between the last two points", () => {
  const storage = after({ node: point(100, 10) }, { node: point(115, 13, { memoryBytes: 2048 }) });
  expect(storage.nodeUsage("n")).toEqual({
    nanoCores: 200_000_000n,
    memoryBytes: 2048n,
    timestampMs: 115_000,
    windowMs: 15_000,
  });
});

test("a node has no usage after one point, nor when a reading lacked it, nor if it is unknown", () => {
  expect(after({ node: point(100, 10) }).nodeUsage("n")).toBeUndefined();
  expect(after({ node: point(100, 1) }, {}, { node: point(130, 2) }).nodeUsage("n")).toBeUndefined();
  expect(after().nodeUsage("n")).toBeUndefined();
});

test("the same point again leaves the usage as it was, an older one without a former point takes it away", () => {
  const same = after({ node: point(100, 10) }, { node: point(110, 12) }, { node: point(110, 12) });
  expect(same.nodeUsage("n")).toMatchObject({ windowMs: 10_000, nanoCores: 200_000_000n });
  const older = after({ node: point(100, 10) }, { node: point(110, 12) }, { node: point(90, 12) });
  expect(older.nodeUsage("n")).toBeUndefined();
});

test.each<[string, MetricsPoint]>([
  ["CPU time that has decreased", point(110, 9)],
  ["an earlier start", point(110, 11, { startMs: 500 })],
  ["more CPU time than a quantity can hold", point(110, 1e30)],
  ["more memory than a quantity can hold", point(110, 11, { memoryBytes: 1e30 })],
])("there is no usage of %s", (_, last) => {
  expect(after({ node: point(100, 10) }, { node: last }).nodeUsage("n")).toBeUndefined();
});

test("the usage of a pod has all its containers, and the interval of the one that was read first", () => {
  const storage = after(
    { pod: { b: point(100, 1), a: point(101, 1) } },
    { pod: { b: point(116, 2), a: point(115, 8) } },
  );
  expect(storage.podUsage("ns/p")).toMatchObject({
    containers: [
      { name: "a", nanoCores: 500_000_000n },
      { name: "b", nanoCores: 62_500_000n },
    ],
    timestampMs: 115_000,
    windowMs: 14_000,
  });
});

test("a pod has no usage until each of its containers has two points", () => {
  const storage = after({ pod: { a: point(100, 1) } }, { pod: { a: point(115, 2), b: point(115, 2) } });
  expect(storage.podUsage("ns/p")).toBeUndefined();
  expect(storage.points()).toEqual({ nodes: 0, containers: 1 });
});

test("a container that was started again has no usage from before", () => {
  const again = point(116, 0.1, { startMs: 112_000 });
  expect(after({ pod: { a: point(100, 50) } }, { pod: { a: again } }).podUsage("ns/p")).toBeUndefined();
  const next = point(131, 1.6, { startMs: 112_000 });
  const storage = after({ pod: { a: point(100, 50) } }, { pod: { a: again } }, { pod: { a: next } });
  // It is younger than the resolution: the average since its start.
  expect(storage.podUsage("ns/p")).toMatchObject({ windowMs: 19_000 });
});

test.each([
  [9, undefined],
  [10, 10_000],
  [59, 59_000],
  [60, undefined],
])("the first point of a container of %i seconds gives usage over %j ms", (age, windowMs) => {
  const storage = after({ pod: { a: point(100 + age, 5, { startMs: 100_000 }) } });
  expect(storage.podUsage("ns/p")?.windowMs).toBe(windowMs);
});

test("it is ready when there is usage of nodes and of pods", () => {
  const both = (seconds: number) => ({ node: point(seconds, seconds), pod: { a: point(seconds, seconds) } });
  expect(after(both(100)).isReady()).toBe(false);
  expect(after(both(100), both(160)).isReady()).toBe(true);
  expect(after({ node: point(100, 1) }, { node: point(160, 2) }).isReady()).toBe(false);
});
