import { expect, test } from "vitest";
import { figuresOf } from "./server-figures.ts";

const page = `# TYPE process_cpu_seconds_total counter
process_cpu_seconds_total 12.5
process_resident_memory_bytes 252000000
nodejs_eventloop_lag_seconds{quantile="0.99"} 0.02
nodejs_eventloop_lag_seconds{quantile="1"} 0.0415
`;

test("figures are read from the page", () => {
  expect(figuresOf(page)).toEqual({ stallMs: 41.5, cpuSeconds: 12.5, residentMb: 252 });
});

test.each([
  ["process_cpu_seconds_total"],
  ["process_resident_memory_bytes"],
  ['nodejs_eventloop_lag_seconds{quantile="1"}'],
])("a page without %s is rejected", (series) => {
  const without = page.replace(`\n${series} `, "\nother ");
  expect(() => figuresOf(without)).toThrow(`/metrics has no ${series}`);
});
