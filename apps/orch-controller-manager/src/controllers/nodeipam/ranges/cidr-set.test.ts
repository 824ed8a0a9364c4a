import { createMetrics } from "@orchernetes/component";
import { expect, test } from "vitest";
import { cidrSetMetrics } from "./cidr-metrics.ts";
import { CidrSet, splitProblem } from "./cidr-set.ts";
import { type Network, parseNetwork } from "./network.ts";

function network(text: string): Network {
  const found = parseNetwork(text);
  if (found === undefined) throw new Error(`${text} is not a range`);
  return found;
}
const setOf = (text: string, nodeBits: number, metrics = createMetrics()) =>
  new CidrSet(network(text), nodeBits, cidrSetMetrics(metrics, "cidrset"));

/** Takes as many ranges as there are. */
function takeAll(set: CidrSet, most = 20): readonly string[] {
  const taken: string[] = [];
  while (taken.length < most) {
    const found = set.next();
    if (found === undefined) break;
    set.occupy(found);
    taken.push(found.text);
  }
  return taken;
}

test("every range is given once, then none", () => {
  const set = setOf("10.0.0.0/22", 24);
  expect(set.capacity).toBe(4);
  expect(takeAll(set)).toEqual(["10.0.0.0/24", "10.0.1.0/24", "10.0.2.0/24", "10.0.3.0/24"]);
});

test("what is released is given again, after what was not given yet", () => {
  const set = setOf("10.0.0.0/22", 24);
  for (let i = 0; i < 2; i++) takeAll(set, 1);
  set.release(network("10.0.0.0/24"));
  expect(takeAll(set)).toEqual(["10.0.2.0/24", "10.0.3.0/24", "10.0.0.0/24"]);
});

test.each<[string, string, readonly string[]]>([
  ["ranges of services within", "10.0.1.0/24", ["10.0.0.0/24", "10.0.2.0/24", "10.0.3.0/24"]],
  ["a part of a range", "10.0.1.128/25", ["10.0.0.0/24", "10.0.2.0/24", "10.0.3.0/24"]],
  ["several ranges", "10.0.2.0/23", ["10.0.0.0/24", "10.0.1.0/24"]],
  ["all and more", "10.0.0.0/8", []],
  ["something else", "10.1.0.0/16", ["10.0.0.0/24", "10.0.1.0/24", "10.0.2.0/24", "10.0.3.0/24"]],
  ["the other family", "fd00::/64", ["10.0.0.0/24", "10.0.1.0/24", "10.0.2.0/24", "10.0.3.0/24"]],
])("%s is not given", (_, occupied, want) => {
  const set = setOf("10.0.0.0/22", 24);
  set.occupy(network(occupied));
  expect(takeAll(set)).toEqual(want);
});

test("what two hold is free when both have released it", () => {
  const set = setOf("10.0.0.0/22", 24);
  for (const text of ["10.0.0.0/24", "10.0.0.0/24", "10.0.0.0/23", "10.0.2.0/23", "10.0.2.0/23"])
    set.occupy(network(text));
  const release = (text: string) => {
    set.release(network(text));
    return set.next()?.text;
  };
  expect(release("10.0.0.0/24")).toBeUndefined();
  expect(release("10.0.0.0/24")).toBeUndefined();
  expect(release("10.0.2.0/23")).toBeUndefined();
  expect(release("10.0.0.0/23")).toBe("10.0.0.0/24");
  // Released once too often.
  set.release(network("10.0.0.0/23"));
  expect(release("10.0.2.0/23")).toBe("10.0.1.0/24");
});

test("the largest range with the smallest parts is as cheap as any other", () => {
  const set = setOf("0.0.0.0/0", 32);
  set.occupy(network("0.0.0.0/1"));
  expect(takeAll(set, 2)).toEqual(["128.0.0.0/32", "128.0.0.1/32"]);
});

test("metrics tell the capacity, the use and the search", () => {
  const metrics = createMetrics();
  const set = setOf("10.0.0.0/22", 24, metrics);
  set.occupy(network("10.0.0.0/23"));
  set.occupy(network("10.0.0.0/24"));
  takeAll(set, 1);
  set.release(network("10.0.0.0/24"));
  const page = metrics.render();
  for (const line of [
    'node_ipam_controller_cirdset_max_cidrs{clusterCIDR="10.0.0.0/22"} 4',
    'node_ipam_controller_cidrset_cidrs_allocations_total{clusterCIDR="10.0.0.0/22"} 3',
    'node_ipam_controller_cidrset_cidrs_releases_total{clusterCIDR="10.0.0.0/22"} 0',
    'node_ipam_controller_cidrset_usage_cidrs{clusterCIDR="10.0.0.0/22"} 0.75',
    'node_ipam_controller_cidrset_allocation_tries_per_request_bucket{clusterCIDR="10.0.0.0/22",le="5"} 1',
    'node_ipam_controller_cidrset_allocation_tries_per_request_sum{clusterCIDR="10.0.0.0/22"} 2',
  ])
    expect(page).toContain(line);
});

test.each([
  ["10.0.0.0/16", 24, undefined],
  ["10.0.0.0/16", 16, undefined],
  ["10.0.0.0/16", 15, "the range of a node would be larger than the whole range"],
  ["10.0.0.0/16", 33, "an IPv4 address has only 32 bits"],
  ["fd00::/48", 64, undefined],
  ["fd00::/47", 64, "the prefixes of the range and of the ranges of nodes may differ by at most 16 bits"],
  ["fd00::/120", 129, "an IPv6 address has only 128 bits"],
])("%s into ranges with prefix %i: %s", (text, bits, problem) => {
  expect(splitProblem(network(text), bits)).toBe(problem);
});
