import { parseCidr } from "@orchernetes/apimachinery";
import { node } from "@orchernetes/testkit";
import { describe, expect, test } from "vitest";
import type { Route } from "../../provider/cloud-provider.ts";
import { overlaps, parseClusterCidrs } from "./cluster-cidrs.ts";
import { planRoutes } from "./plan-routes.ts";

const cidr = (text: string) => {
  const parsed = parseCidr(text);
  if (parsed === undefined) throw new Error(text);
  return parsed;
};
const cluster = [cidr("10.244.0.0/16")];
const route = (targetNode: string, destinationCIDR: string, more: Partial<Route> = {}): Route => ({
  name: `${targetNode}-${destinationCIDR}`,
  targetNode,
  destinationCIDR,
  targetNodeAddresses: [],
  enableNodeAddresses: false,
  blackhole: false,
  ...more,
});
const a = node("a").spec({ podCIDRs: ["10.244.0.0/24"] });
const plan = (...args: Parameters<typeof planRoutes>) => {
  const { deletions, creations, nodes, inOrder } = planRoutes(...args);
  return {
    deletions: deletions.map(({ name }) => name),
    creations: creations.map(({ node: { metadata }, cidr }) => `${metadata.name} ${cidr}`),
    conditions: [...nodes].map(([{ metadata }, cidrs]) => `${metadata.name} ${cidrs.length}`),
    inOrder,
  };
};

describe("ranges of pods", () => {
  test("are none, one, or one of each family", () => {
    expect(parseClusterCidrs("")).toEqual({ ranges: [] });
    expect(parseClusterCidrs("10.0.0.0/8, fd00::/64")).toMatchObject({ ranges: [{ bits: 8 }, { bits: 64 }] });
    expect(parseClusterCidrs("10.0.0.0")).toEqual({
      error: 'invalid value "10.0.0.0"; want a range such as 10.244.0.0/16',
    });
    expect(parseClusterCidrs("10.0.0.0/8,11.0.0.0/8")).toEqual({
      error: "found two ranges of one family; want one of each family",
    });
    expect(parseClusterCidrs("10.0.0.0/8,fd00::/64,11.0.0.0/8")).toEqual({ error: "found 3 ranges; want at most 2" });
  });

  test.each([
    ["10.0.0.0/8", "10.244.1.0/24", true],
    ["10.244.1.0/24", "10.0.0.0/8", true],
    ["10.244.0.0/15", "10.245.0.0/24", true],
    ["10.244.0.0/16", "10.245.0.0/24", false],
    ["0.0.0.0/0", "192.0.2.0/24", true],
    ["10.0.0.0/8", "fd00::/64", false],
    ["fd00::/63", "fd00:0:0:1::/64", true],
  ])("%s and %s overlap: %s", (one, other, want) => {
    expect(overlaps(cidr(one), cidr(other))).toBe(want);
  });
});

describe("routes", () => {
  test("a node with a range and without a route gets one", () => {
    expect(plan([a.build()], [], cluster)).toEqual({
      deletions: [],
      creations: ["a 10.244.0.0/24"],
      conditions: ["a 1"],
      inOrder: false,
    });
  });

  test("a node without a range waits, unless it had a route", () => {
    expect(plan([node("b").build()], [], cluster)).toMatchObject({ conditions: [] });
    expect(plan([node("b").build()], [route("b", "10.244.9.0/24")], cluster)).toMatchObject({
      deletions: ["b-10.244.9.0/24"],
      conditions: ["b 0"],
    });
  });

  test("a route that is right is kept; one of a node that is gone, a black hole and a wrong range go", () => {
    const routes = [
      route("a", "10.244.0.0/24"),
      route("gone", "10.244.1.0/24"),
      route("a", "10.244.2.0/24"),
      route("", "10.244.3.0/24", { blackhole: true }),
    ];
    expect(plan([a.build()], routes, cluster)).toMatchObject({
      creations: [],
      deletions: ["gone-10.244.1.0/24", "a-10.244.2.0/24", "-10.244.3.0/24"],
    });
  });

  test("routes outside the cluster's ranges and those without a readable range are left alone", () => {
    const routes = [route("gone", "192.168.0.0/24"), route("gone", "nonsense")];
    expect(plan([], routes, cluster).deletions).toEqual([]);
    expect(planRoutes([], routes, cluster).unreadable).toEqual([routes[1]]);
  });

  test("a route to old addresses is replaced, first deleted and then created, if addresses matter", () => {
    const moved = a.status({ addresses: [{ type: "InternalIP", address: "192.0.2.2" }] }).build();
    const old = {
      enableNodeAddresses: true,
      targetNodeAddresses: [{ type: "InternalIP" as const, address: "192.0.2.1" }],
    };
    expect(plan([moved], [route("a", "10.244.0.0/24", old)], cluster)).toMatchObject({
      deletions: ["a-10.244.0.0/24"],
      creations: ["a 10.244.0.0/24"],
      inOrder: true,
    });
    const current = { ...old, targetNodeAddresses: moved.status.addresses ?? [] };
    expect(plan([moved], [route("a", "10.244.0.0/24", current)], cluster)).toMatchObject({
      deletions: [],
      creations: [],
    });
  });
});
