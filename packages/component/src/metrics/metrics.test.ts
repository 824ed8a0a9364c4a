import { expect, test } from "vitest";
import { parseFeatureGates } from "../features/feature-gates.ts";
import { version } from "../version.ts";
import { createMetrics, exponentialBuckets, linearBuckets, type Metrics } from "./create-metrics.ts";
import { addFeatureMetrics } from "./feature-metrics.ts";
import { addProcessMetrics } from "./process-metrics.ts";
import { workQueueMetrics } from "./work-queue-metrics.ts";

/** The lines of the page about metrics of this name. */
const linesOf = (metrics: Metrics, name: string) =>
  metrics
    .render()
    .split("\n")
    .filter((line) => new RegExp(`^(# \\w+ )?${name}`).test(line));

test("counters, gauges and histograms are written in the text format, sorted by name", () => {
  const metrics = createMetrics();
  const total = metrics.counter({ name: "x_b_total", help: "Requests\nserved.", labelNames: ["verb", "path"] });
  total.inc(["GET", '/a"\\\n']);
  total.with("GET", '/a"\\\n').inc(2);
  metrics.gauge({ name: "x_a_now", help: "Now.", stability: "STABLE" }).set(1.5);
  const latency = metrics.histogram({
    name: "x_c_seconds",
    help: "Latency.",
    stability: "none",
    labelNames: ["verb"],
    buckets: [0.1, 1],
  });
  for (const value of [0.1, 0.5, 2]) latency.observe(value, ["GET"]);
  latency.with("PUT").observe(0.5, 1e9);
  expect(linesOf(metrics, "x_")).toEqual([
    "# HELP x_a_now [STABLE] Now.",
    "# TYPE x_a_now gauge",
    "x_a_now 1.5",
    "# HELP x_b_total [ALPHA] Requests\\nserved.",
    "# TYPE x_b_total counter",
    'x_b_total{verb="GET",path="/a\\"\\\\\\n"} 3',
    "# HELP x_c_seconds Latency.",
    "# TYPE x_c_seconds histogram",
    'x_c_seconds_bucket{verb="GET",le="0.1"} 1',
    'x_c_seconds_bucket{verb="GET",le="1"} 2',
    'x_c_seconds_bucket{verb="GET",le="+Inf"} 3',
    'x_c_seconds_sum{verb="GET"} 2.6',
    'x_c_seconds_count{verb="GET"} 3',
    'x_c_seconds_bucket{verb="PUT",le="0.1"} 0',
    'x_c_seconds_bucket{verb="PUT",le="1"} 1000000000',
    'x_c_seconds_bucket{verb="PUT",le="+Inf"} 1000000000',
    'x_c_seconds_sum{verb="PUT"} 500000000',
    'x_c_seconds_count{verb="PUT"} 1000000000',
  ]);
});

// shows: --disabled-metrics, --allow-metric-labels
test("disabled metrics are omitted, and label values that are not on the allow-list are reported as unexpected", () => {
  const metrics = createMetrics({
    disabled: ["x_gone_total"],
    allowLabels: new Map([["x_kept_total,code", "200,201"]]),
  });
  for (let i = 0; i < 2; i++) metrics.counter({ name: "x_gone_total", help: "x" }).inc();
  const kept = metrics.counter({ name: "x_kept_total", help: "x", labelNames: ["code"] });
  for (const code of ["200", "418", "500"]) kept.inc([code]);
  expect(linesOf(metrics, "x_").slice(2)).toEqual(['x_kept_total{code="200"} 1', 'x_kept_total{code="unexpected"} 2']);
  expect(metrics.render()).toContain("\ndisabled_metric_total 1\n");
});

// shows: showHiddenMetricsForVersion
test.each([
  ["1.26.0", "", [], "hidden_metric_total 1"],
  ["1.26.0", "1.26", ["# HELP x_old [ALPHA] (Deprecated since 1.26.0) Old."], "hidden_metric_total 0"],
  ["1.27.0", "", ["# HELP x_old [ALPHA] (Deprecated since 1.27.0) Old."], "hidden_metric_total 0"],
])("a metric deprecated in %s, with --show-hidden-metrics-for-version=%j", (deprecated, showHidden, help, hidden) => {
  const metrics = createMetrics({ showHidden });
  metrics.counter({ name: "x_old", help: "Old.", deprecated }).inc();
  expect(linesOf(metrics, "x_").slice(0, 1)).toEqual(help);
  expect(metrics.render()).toContain(`\n${hidden}\n`);
});

test("--disabled-metrics takes precedence over showing hidden metrics", () => {
  const metrics = createMetrics({ showHidden: "1.26", disabled: ["x_old"] });
  metrics.counter({ name: "x_old", help: "Old.", deprecated: "1.26.0" }).inc();
  expect(linesOf(metrics, "x_")).toEqual([]);
});

test("a metric without labels is shown from the start, one with labels from its first series on", () => {
  const metrics = createMetrics();
  metrics.counter({ name: "x_plain_total", help: "x" });
  metrics.histogram({ name: "x_labelled", help: "x", labelNames: ["l"] });
  expect(linesOf(metrics, "x_").slice(2)).toEqual(["x_plain_total 0"]);
  expect(metrics.describe().map(({ name }) => name)).toContain("x_labelled");
});

test("a queue's work in progress is read when the page is requested", () => {
  const metrics = createMetrics();
  workQueueMetrics(metrics).follow("q", () => ({ totalMs: 3000, longestMs: 2000 }));
  expect(metrics.render()).toMatch(/^workqueue_unfinished_work_seconds\{name="q"\} 3$/m);
  expect(metrics.render()).toMatch(/^workqueue_longest_running_processor_seconds\{name="q"\} 2$/m);
});

test("a metric shows whether a feature is enabled", () => {
  const metrics = createMetrics();
  const table = { A: { stage: "Alpha", default: false }, G: { stage: "GA", default: true } } as const;
  const parsed = parseFeatureGates(table, new Map([["A", true]]));
  if ("errors" in parsed) throw new Error(parsed.errors.join());
  addFeatureMetrics(metrics, table, parsed.gates);
  expect(linesOf(metrics, "orchernetes_feature").slice(2)).toEqual([
    'orchernetes_feature_enabled{name="A",stage="ALPHA"} 1',
    'orchernetes_feature_enabled{name="G",stage=""} 1',
  ]);
});

test("a series can be removed, and an instrument created twice", () => {
  const metrics = createMetrics();
  const gauge = metrics.gauge({ name: "g", help: "x", labelNames: ["n"] });
  gauge.set(1, ["a"]);
  metrics.gauge({ name: "g", help: "x", labelNames: ["n"] }).set(2, ["b"]);
  gauge.remove(["a"]);
  expect(metrics.render()).toContain('g{n="b"} 2\n');
  expect(metrics.render()).not.toContain('n="a"');
});

test("a series that was the last one to be used begins again after its removal", () => {
  const metrics = createMetrics();
  const gauge = metrics.gauge({ name: "g", help: "x", labelNames: ["n", "m"] });
  const values = ["a", "b"];
  gauge.inc(values, 5);
  values[1] = "c";
  gauge.inc(values, 3);
  gauge.remove(["a", "c"]);
  gauge.inc(["a", "c"], 1);
  gauge.inc(["a", "b"], 1);
  expect(metrics.render()).toContain('g{n="a",m="b"} 6\ng{n="a",m="c"} 1\n');
  gauge.reset();
  gauge.inc(["a", "b"], 2);
  expect(metrics.render()).toContain('g{n="a",m="b"} 2\n');
});

test("mistakes of the program are rejected", () => {
  const metrics = createMetrics();
  expect(() => metrics.counter({ name: "a b", help: "x" })).toThrow('"a b" is not a metric name');
  expect(() => metrics.counter({ name: "a", help: "x", labelNames: ["l"] }).inc()).toThrow(
    "with 1 labels was given 0 values",
  );
});

test("bucket helpers", () => {
  expect(exponentialBuckets(1, 2, 4)).toEqual([1, 2, 4, 8]);
  expect(linearBuckets(5, 10, 3)).toEqual([5, 15, 25]);
});

test("the longest iteration of the event loop is shown, and not how long the loop waits", async () => {
  const metrics = createMetrics();
  const end = new AbortController();
  addProcessMetrics(metrics, version, end.signal);
  const longest = (): number =>
    Number(/^nodejs_eventloop_lag_seconds\{quantile="1"\} (\S+)$/m.exec(metrics.render())?.[1]);
  const pause = () => new Promise((resolve) => setTimeout(resolve, 150));
  await pause();
  longest();
  await pause();
  const idle = longest();
  for (const until = performance.now() + 400; performance.now() < until; );
  await pause();
  const busy = longest();
  end.abort();
  expect([idle < 0.15, busy >= 0.4]).toEqual([true, true]);
});

test("the metrics of a process are exported", () => {
  const metrics = createMetrics();
  const end = new AbortController();
  addProcessMetrics(metrics, version, end.signal);
  const page = metrics.render();
  end.abort();
  expect(page).toMatch(/^process_resident_memory_bytes \d{7,}$/m);
  expect(page).toMatch(/^process_start_time_seconds \d{9,}(\.\d+)?$/m);
  expect(page).toMatch(/^nodejs_eventloop_lag_seconds\{quantile="0.99"\} \d/m);
  expect(page).toMatch(/^orchernetes_build_info\{.*git_version="v1\.27\.\d+\+orchernetes".*\} 1$/m);
});
