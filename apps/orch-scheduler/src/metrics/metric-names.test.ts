import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createMetrics, exponentialBuckets } from "@orchernetes/component";
import { FakeClock } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { SchedulingQueue } from "../queue/scheduling-queue.ts";
import { queueMetrics } from "./queue-metrics.ts";
import { schedulerMetrics } from "./scheduler-metrics.ts";
import { volumeMetrics } from "./volume-metrics.ts";

const file = join(import.meta.dirname, "../../../../packages/testkit/facts/metrics.json");

/** A metric of the original, renamed. */
interface Fact {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  readonly stability?: string;
  readonly deprecated?: string;
  /** Such as `ExponentialBuckets(0.001,2,15)`. */
  readonly buckets?: string;
  readonly in: string;
}

const facts = (JSON.parse(readFileSync(file, "utf8")) as { readonly metrics: readonly Fact[] }).metrics.filter(
  // Pods' resources have a page of their own.
  ({ in: where, name }) => where === "orch-scheduler" && !name.startsWith("orch_pod_resource_"),
);

function bucketsOf({ buckets }: Fact): readonly number[] | undefined {
  if (buckets === undefined) return undefined;
  const [start = 0, factor = 0, count = 0] = (/\((.*)\)$/.exec(buckets)?.[1] ?? "").split(",").map(Number);
  return exponentialBuckets(start, factor, count);
}

test("the metrics are those of Kubernetes, and no others, with the same types, labels, stability and buckets", () => {
  const metrics = createMetrics();
  const before = new Set(metrics.describe().map(({ name }) => name));
  schedulerMetrics(metrics, new SchedulingQueue({ clock: new FakeClock(), metrics: queueMetrics(metrics) }));
  volumeMetrics(metrics);
  const want = facts.map((fact) => ({
    name: fact.name,
    type: fact.type.toLowerCase(),
    labels: fact.labels,
    stability: fact.stability ?? "ALPHA",
    deprecated: fact.deprecated,
    buckets: bucketsOf(fact),
  }));
  expect(want.length).toBeGreaterThan(15);
  expect(metrics.describe().filter(({ name }) => !before.has(name))).toEqual(want);
});
