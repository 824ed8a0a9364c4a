import { expect, test } from "vitest";
import { createIpAllocator } from "./pod-ips.ts";

/** The first `count` addresses that are given out when none is returned. */
function addresses(subnet: string, count: number): readonly string[] {
  const allocate = createIpAllocator(subnet);
  const used = new Set<string>();
  for (let n = 0; n < count; n += 1) used.add(allocate(used));
  return [...used];
}

test("without a subnet all sandboxes share the loopback address", () => {
  const allocate = createIpAllocator(undefined);
  expect([allocate(new Set()), allocate(new Set(["127.0.0.1"]))]).toEqual(["127.0.0.1", "127.0.0.1"]);
});

test.each([
  ["10.1.2.0/29", 5, ["10.1.2.2", "10.1.2.3", "10.1.2.4", "10.1.2.5", "10.1.2.6"]],
  ["10.1.2.7/29", 1, ["10.1.2.2"]],
  ["10.1.2.8/30", 1, ["10.1.2.10"]],
  ["255.255.255.252/30", 1, ["255.255.255.254"]],
  ["192.168.255.0/16", 1, ["192.168.0.2"]],
])(
  "of %s neither the network's, nor the node's, nor the broadcast address is given to a pod",
  (subnet, count, want) => {
    expect(addresses(subnet, count)).toEqual(want);
  },
);

test.each([
  ["10.1.2.0/29", 5],
  ["10.1.2.8/30", 1],
])("%s has %i addresses, and then none is free", (subnet, count) => {
  expect(addresses(subnet, count)).toHaveLength(count);
  expect(() => addresses(subnet, count + 1)).toThrow(`no free address in ${subnet}`);
});

test("addresses cross the border of an octet", () => {
  const all = addresses("10.0.0.0/23", 509);
  expect(all.slice(252, 256)).toEqual(["10.0.0.254", "10.0.0.255", "10.0.1.0", "10.0.1.1"]);
  expect(all.at(-1)).toBe("10.0.1.254");
});

test("an address that was returned is used again only after all others", () => {
  const allocate = createIpAllocator("10.1.2.0/29");
  const given = Array.from({ length: 6 }, () => allocate(new Set()));
  expect(given).toEqual(["10.1.2.2", "10.1.2.3", "10.1.2.4", "10.1.2.5", "10.1.2.6", "10.1.2.2"]);
  expect(allocate(new Set(["10.1.2.3", "10.1.2.4"]))).toBe("10.1.2.5");
});

test.each([
  "",
  "10.0.0.0",
  "10.0.0.0/7",
  "10.0.0.0/31",
  "10.0.0.256/24",
  "10.0.0/24",
  "fd00::/64",
  "10.0.0.0/24 ",
  "x/24",
])("the subnet %j is refused", (subnet) => {
  expect(() => createIpAllocator(subnet)).toThrow(RangeError);
});
