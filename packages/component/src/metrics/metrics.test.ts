import { expect, test } from "vitest";
import { version } from "../version.ts";
import { createMetrics, exponentialBuckets } from "./create-metrics.ts";
import { addProcessMetrics } from "./process-metrics.ts";

test("counters, gauges and histograms are written in the text format, sorted by name", () => {
  const metrics = createMetrics();
  const total = metrics.counter({ name: "b_total", help: "Requests\nserved.", labelNames: ["verb", "path"] });
  total.inc(["GET", '/a"\\\n']);
  total.with("GET", '/a"\\\n').inc(2);
  metrics.gauge({ name: "a_now", help: "Now." }).set(1.5);
  const latency = metrics.histogram({ name: "c_seconds", help: "Latency.", labelNames: ["verb"], buckets: [0.1, 1] });
  for (const value of [0.1, 0.5, 2]) latency.observe(value, ["GET"]);
  expect(metrics.render()).toBe(
    [
      "# HELP a_now Now.",
      "# TYPE a_now gauge",
      "a_now 1.5",
      "# HELP b_total Requests\\nserved.",
      "# TYPE b_total counter",
      'b_total{verb="GET",path="/a\\"\\\\\\n"} 3',
      "# HELP c_seconds Latency.",
      "# TYPE c_seconds histogram",
      'c_seconds_bucket{verb="GET",le="0.1"} 1',
      'c_seconds_bucket{verb="GET",le="1"} 2',
      'c_seconds_bucket{verb="GET",le="+Inf"} 3',
      'c_seconds_sum{verb="GET"} 2.6',
      'c_seconds_count{verb="GET"} 3',
      "",
    ].join("\n"),
  );
});

test("disabled metrics are not shown, and label values off the allow-list are unexpected", () => {
  const metrics = createMetrics({ disabled: ["gone_total"], allowLabels: new Map([["kept_total,code", "200,201"]]) });
  metrics.counter({ name: "gone_total", help: "x" }).inc();
  const kept = metrics.counter({ name: "kept_total", help: "x", labelNames: ["code"] });
  for (const code of ["200", "418", "500"]) kept.inc([code]);
  expect(metrics.render().split("\n").slice(2, -1)).toEqual([
    'kept_total{code="200"} 1',
    'kept_total{code="unexpected"} 2',
  ]);
});

test("a series can be removed and an instrument asked for twice", () => {
  const metrics = createMetrics();
  const gauge = metrics.gauge({ name: "g", help: "x", labelNames: ["n"] });
  gauge.set(1, ["a"]);
  metrics.gauge({ name: "g", help: "x", labelNames: ["n"] }).set(2, ["b"]);
  gauge.remove(["a"]);
  expect(metrics.render()).toContain('g{n="b"} 2\n');
  expect(metrics.render()).not.toContain('n="a"');
});

test("mistakes of the program are refused", () => {
  const metrics = createMetrics();
  expect(() => metrics.counter({ name: "a b", help: "x" })).toThrow('"a b" is not a metric name');
  expect(() => metrics.counter({ name: "a", help: "x", labelNames: ["l"] }).inc()).toThrow(
    "with 1 labels was given 0 values",
  );
});

test("bucket helpers", () => {
  expect(exponentialBuckets(1, 2, 4)).toEqual([1, 2, 4, 8]);
});

test("a process tells about itself", () => {
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
