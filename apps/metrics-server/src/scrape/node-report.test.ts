import { expect, test } from "vitest";
import { ReportBuilder } from "./node-report.ts";

const reported = (lines: readonly string[], mayReport = (_pod: string, _container: string) => true) => {
  const builder = new ReportBuilder(mayReport, 5000);
  for (const line of lines) builder.add(line);
  const { node, pods } = builder.report();
  return { node, pods: Object.fromEntries([...pods].map(([key, points]) => [key, Object.fromEntries(points)])) };
};
const of = (name: string, value: number | string, container = "c", pod = "p") =>
  `${name}{container="${container}",namespace="ns",pod="${pod}"} ${value}`;

const page = [
  "# HELP container_cpu_usage_seconds_total [ALPHA] x",
  "# TYPE container_cpu_usage_seconds_total counter",
  of("container_cpu_usage_seconds_total", "1.5 2000"),
  of("container_memory_working_set_bytes", "100 3000"),
  of("container_start_time_seconds", 1),
  'pod_cpu_usage_seconds_total{namespace="ns",pod="p"} 9 9000',
  "node_cpu_usage_seconds_total 7 4000",
  "node_memory_working_set_bytes 70",
  "node_cpu_usage_seconds_total_more 1",
  "scrape_error 0",
];

test("points have the time of the CPU counter", () => {
  expect(reported(page)).toEqual({
    node: { startMs: 0, timestampMs: 4000, cpuSeconds: 7, memoryBytes: 70 },
    pods: { "ns/p": { c: { startMs: 1000, timestampMs: 2000, cpuSeconds: 1.5, memoryBytes: 100 } } },
  });
});

test("samples without a time have that of the request", () => {
  const lines = page.map((line) => line.replace(/ [2-4]000$/, ""));
  expect(reported(lines)).toMatchObject({
    node: { timestampMs: 5000 },
    pods: { "ns/p": { c: { timestampMs: 5000 } } },
  });
});

test("samples more than an hour from the request have its time", () => {
  const now = Date.parse("2024-01-01T12:00:00Z");
  const timeOf = (timestampMs: number): number | undefined => {
    const builder = new ReportBuilder(() => true, now);
    builder.add(`node_cpu_usage_seconds_total 7 ${timestampMs}`);
    builder.add("node_memory_working_set_bytes 70");
    return builder.report().node?.timestampMs;
  };
  const hour = 3_600_000;
  for (const kept of [now - hour, now, now + hour]) expect(timeOf(kept)).toBe(kept);
  for (const claimed of [1, now - hour - 1, now + hour + 1, Date.parse("9999-01-01T00:00:00Z")])
    expect(timeOf(claimed)).toBe(now);
});

test("a node reports its own containers alone", () => {
  const foreign = [
    ...page,
    of("container_cpu_usage_seconds_total", 1, "c", "foreign"),
    of("container_memory_working_set_bytes", 1, "other"),
    "container_memory_working_set_bytes 1",
  ];
  const { pods } = reported(foreign, (pod, container) => pod === "ns/p" && container === "c");
  expect(pods).toEqual(reported(page).pods);
});

test.each([
  ["of a container without CPU time", (line: string) => !line.startsWith("container_cpu")],
  ["of a container without memory", (line: string) => !line.startsWith("container_memory")],
])("a pod is left out if it is %s", (_, keeps) => {
  const whole = [of("container_cpu_usage_seconds_total", 1, "d"), of("container_memory_working_set_bytes", 1, "d")];
  expect(reported([...page.filter(keeps), ...whole]).pods).toEqual({});
});

test("a container that has used no CPU time yet has a point, one without any memory has none", () => {
  const at = (cpu: number, bytes: number) =>
    reported([of("container_cpu_usage_seconds_total", cpu), of("container_memory_working_set_bytes", bytes)]).pods;
  expect(at(0, 1)).toHaveProperty(["ns/p", "c"]);
  expect(at(1, 0)).toEqual({});
});

test.each(["NaN", "+Inf", "-1", "1 0", "1 -5", "1 9999999999999999"])("%s is as good as no value", (value) => {
  const lines = page.filter((line) => !line.startsWith("container_cpu"));
  expect(reported([...lines, of("container_cpu_usage_seconds_total", value)]).pods).toEqual({});
});

test("a line that is no sample is an error, unless its family is not read", () => {
  expect(() => reported(["node_cpu_usage_seconds_total"])).toThrow("want a sample");
  expect(reported(["whatever {", "node_other {"])).toEqual({ node: undefined, pods: {} });
});
