import { createMetrics } from "@orchernetes/component";
import { expect, test } from "vitest";
import { cidrSetMetrics } from "./cidr-metrics.ts";
import { CidrSet } from "./cidr-set.ts";
import { parseNetwork } from "./network.ts";
import { NodeRanges, type Pool } from "./node-ranges.ts";

const networks = (...texts: readonly string[]) => texts.flatMap((text) => parseNetwork(text) ?? []);

function poolOf(name: string, ranges: Readonly<Record<string, number>>, isOpen = true): Pool {
  const metrics = cidrSetMetrics(createMetrics(), "cidrset");
  const sets = Object.entries(ranges).flatMap(([text, bits]) =>
    networks(text).map((network) => new CidrSet(network, bits, metrics)),
  );
  return { name, sets, isOpen };
}

test("a node gets one range of each family, the same ones until it is released", () => {
  const pool = poolOf("p", { "10.0.0.0/23": 24, "fd00::/63": 64 });
  const ranges = new NodeRanges(networks("10.0.0.0/25", "fd00:0:0:1::/112"));
  ranges.addPool(pool);
  const given = ["10.0.1.0/24", "fd00::/64"];
  expect([ranges.allocate("a", [pool]), ranges.allocate("a", [pool])]).toEqual([given, given]);
  expect(ranges.allocate("b", [pool])).toBeUndefined();
  ranges.release("a");
  expect(ranges.allocate("b", [pool])).toEqual(given);
});

test("of no pool a node gets the range of one family alone", () => {
  const small = poolOf("small", { "10.0.0.0/24": 24, "fd00::/63": 64 });
  const large = poolOf("large", { "10.1.0.0/23": 24, "fd01::/63": 64 });
  const closed = poolOf("closed", { "10.2.0.0/23": 24 }, false);
  const ranges = new NodeRanges([]);
  for (const pool of [small, large, closed]) ranges.addPool(pool);
  const of = (node: string) => ranges.allocate(node, [closed, small, large]);
  expect(of("a")).toEqual(["10.0.0.0/24", "fd00::/64"]);
  expect(of("b")).toEqual(["10.1.0.0/24", "fd01::/64"]);
  expect([ranges.isUsed("small"), ranges.isUsed("closed")]).toEqual([true, false]);
});

test("pools may overlap: no address is given twice", () => {
  const wide = poolOf("wide", { "10.0.0.0/22": 23 });
  const narrow = poolOf("narrow", { "10.0.0.0/22": 24 });
  const ranges = new NodeRanges([]);
  ranges.addPool(wide);
  expect(ranges.allocate("a", [wide])).toEqual(["10.0.0.0/23"]);
  // It is added later, and knows what is in use all the same.
  ranges.addPool(narrow);
  expect(ranges.allocate("b", [narrow])).toEqual(["10.0.2.0/24"]);
  expect(ranges.allocate("c", [wide])).toBeUndefined();
  ranges.release("a");
  expect(ranges.allocate("c", [wide])).toEqual(["10.0.0.0/23"]);
});

test("the ranges that nodes have are not given to others, whatever they were given before", () => {
  const pool = poolOf("p", { "10.0.0.0/22": 24 });
  const ranges = new NodeRanges([]);
  ranges.addPool(pool);
  expect(ranges.allocate("a", [pool])).toEqual(["10.0.0.0/24"]);
  // Somebody else wrote the node.
  expect(ranges.occupy("a", ["10.0.1.0/24"], [pool])).toEqual([]);
  expect(["b", "c", "d", "e"].map((node) => ranges.allocate(node, [pool]))).toEqual([
    ["10.0.2.0/24"],
    ["10.0.3.0/24"],
    ["10.0.0.0/24"],
    undefined,
  ]);
});

test("a range that two nodes have by mistake is free when both are gone", () => {
  const pool = poolOf("p", { "10.0.0.0/24": 24 });
  const ranges = new NodeRanges([]);
  ranges.addPool(pool);
  for (const node of ["a", "b", "a"]) ranges.occupy(node, ["10.0.0.0/24"], [pool]);
  ranges.release("a");
  expect(ranges.allocate("c", [pool])).toBeUndefined();
  ranges.release("b");
  expect(ranges.allocate("c", [pool])).toEqual(["10.0.0.0/24"]);
});

test("ranges outside, and texts that are no ranges, are returned and do no harm", () => {
  const pool = poolOf("p", { "10.0.0.0/23": 24 });
  const ranges = new NodeRanges([]);
  ranges.addPool(pool);
  const cidrs = ["192.168.0.0/24", "nonsense", "10.0.0.0/8", "10.0.1.0/26"];
  // The third one covers the whole range.
  expect(ranges.occupy("a", cidrs, [pool])).toEqual(cidrs.slice(0, 3));
  expect(ranges.allocate("b", [pool])).toEqual(["10.0.0.0/24"]);
  expect(ranges.allocate("c", [pool])).toBeUndefined();
  ranges.release("a");
  expect(ranges.allocate("c", [pool])).toEqual(["10.0.1.0/24"]);
});

test.each(["0.0.0.0/0", "10.0.0.0/22"])(
  "a node with %s, which covers the whole range, takes none from others",
  (wide) => {
    const pool = poolOf("p", { "10.0.0.0/23": 24 });
    const ranges = new NodeRanges([]);
    ranges.occupy("early", [wide], []);
    ranges.addPool(pool);
    ranges.occupy("late", [wide], [pool]);
    expect(["b", "c", "d"].map((node) => ranges.allocate(node, [pool]))).toEqual([
      ["10.0.0.0/24"],
      ["10.0.1.0/24"],
      undefined,
    ]);
  },
);

test("a range of one pool that covers another one is used in both, also if the pool is added later", () => {
  const narrow = poolOf("narrow", { "10.0.0.0/23": 24 });
  const wide = poolOf("wide", { "10.0.0.0/16": 20 });
  const ranges = new NodeRanges([]);
  ranges.addPool(narrow);
  ranges.occupy("a", ["10.0.0.0/20"], [narrow]);
  ranges.addPool(wide);
  expect(ranges.allocate("b", [narrow])).toBeUndefined();
  expect(ranges.allocate("b", [wide])).toEqual(["10.0.16.0/20"]);
  ranges.removePool("wide");
  ranges.release("a");
  expect(ranges.allocate("c", [narrow])).toEqual(["10.0.0.0/24"]);
});

test("a pool is in use by the nodes whose ranges it contains, the preferred one first", () => {
  const [first, second] = [poolOf("first", { "10.0.0.0/16": 24 }), poolOf("second", { "10.0.0.0/8": 24 })];
  const ranges = new NodeRanges([]);
  expect(ranges.isEmpty).toBe(true);
  for (const pool of [first, second]) ranges.addPool(pool);
  ranges.occupy("a", ["10.0.1.0/24"], [second, first]);
  expect(["first", "second"].map((pool) => ranges.isUsed(pool))).toEqual([false, true]);
  ranges.occupy("a", ["10.0.1.0/24"], [first, second]);
  expect(["first", "second"].map((pool) => ranges.isUsed(pool))).toEqual([false, true]);
  ranges.removePool("second");
  ranges.release("a");
  expect(ranges.isUsed("second")).toBe(false);
});
