import { expect, test } from "vitest";
import { StaleFlowSet } from "./stale-flow-set.ts";

const flow = (port: number, endpoint?: string) => ({
  protocol: "udp" as const,
  address: "10.96.0.10",
  port,
  endpoint: endpoint === undefined ? undefined : { address: endpoint, port: 5353 },
});

test("deletions are merged by frontend, and the oldest frontends come first", () => {
  const set = new StaleFlowSet();
  set.add([flow(53, "10.64.0.7"), flow(54, "10.64.0.7"), flow(53, "10.64.0.7"), flow(53, "10.64.0.8"), flow(54)]);
  set.add([flow(54, "10.64.0.9")]);
  expect(set.take(1)).toEqual([flow(53, "10.64.0.7"), flow(53, "10.64.0.8")]);
  expect(set.take()).toEqual([flow(54)]);
  expect(set.isEmpty).toBe(true);
});

test("many endpoints of a frontend are one deletion", () => {
  const set = new StaleFlowSet();
  set.add(Array.from({ length: 100 }, (_, i) => flow(53, `10.64.0.${i}`)));
  expect(set.take()).toEqual([flow(53)]);
});

test("of too many frontends the oldest are dropped", () => {
  const set = new StaleFlowSet();
  expect(set.add(Array.from({ length: 10_003 }, (_, i) => flow(i + 1)))).toBe(3);
  expect(set.take(1)).toEqual([flow(4)]);
});
