import { parseCidr } from "@orchernetes/apimachinery";
import { node } from "@orchernetes/testkit";
import { describe, expect, test, vi } from "vitest";
import type { Route } from "../../provider/cloud-provider.ts";
import { overlaps, parseClusterCidrs } from "./cluster-cidrs.ts";
import { planRoutes } from "./plan-routes.ts";
import { RouteSyncer, type RouteSyncerOptions } from "./route-syncer.ts";

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

  const holding = (name: string, at: string, ...podCIDRs: string[]) =>
    node(name).spec({ podCIDRs }).createdAt(at).build();
  const refusedOf = (...args: Parameters<typeof planRoutes>) =>
    planRoutes(...args).refused.map((wanted) => `${wanted.node.metadata.name} ${wanted.cidr}`);

  test.each(["0.0.0.0/0", "10.0.0.0/8", "192.0.2.0/24", "fd00::/64"])("no route is made for %s", (text) => {
    const nodes = [holding("evil", "2024-01-01T00:00:00Z", text), a.build()];
    expect(plan(nodes, [], cluster)).toMatchObject({ creations: ["a 10.244.0.0/24"], conditions: ["evil 1", "a 1"] });
    expect(refusedOf(nodes, [], cluster)).toEqual([`evil ${text}`]);
  });

  test("a route outside of the cluster's ranges that is there serves its node", () => {
    const nodes = [holding("b", "2024-01-01T00:00:00Z", "192.0.2.0/24")];
    expect(refusedOf(nodes, [route("b", "192.0.2.0/24")], cluster)).toEqual([]);
  });

  test.each(["10.244.0.0/24", "10.244.0.128/25", "10.244.0.0/23", "10.244.0.0/16"])(
    "no route leads to a node for %s, which an older node has",
    (text) => {
      const nodes = [
        holding("a-newer", "2024-01-02T00:00:00Z", text),
        holding("older", "2024-01-01T00:00:00Z", "10.244.0.0/24"),
        holding("third", "2024-01-03T00:00:00Z", "10.244.2.0/24"),
      ];
      const stolen = route("a-newer", text);
      const all = plan(nodes, [stolen], cluster);
      expect(all).toMatchObject({
        creations: ["older 10.244.0.0/24", "third 10.244.2.0/24"],
        deletions: [stolen.name],
      });
      expect(refusedOf(nodes, [stolen], cluster)).toEqual([`a-newer ${text}`]);
    },
  );

  test("a hundred thousand routes of one node are planned in less than three seconds", () => {
    const routes = Array.from({ length: 100_000 }, (_, i) => route("a", "10.244.0.0/24", { name: `r${i}` }));
    const beganMs = performance.now();
    expect(plan([a.build()], routes, cluster)).toMatchObject({ deletions: [], creations: [] });
    expect(performance.now() - beganMs).toBeLessThan(3000);
  });

  test("thousands of routes without a readable range are one line of the log", async () => {
    const routes = Array.from({ length: 5000 }, (_, i) => route("gone", "nonsense", { name: `r${i}` }));
    const warn = vi.fn();
    const syncer = new RouteSyncer({
      routes: { list: async () => ({ ok: true, value: routes }) },
      nodes: { list: () => [] },
      clusterCidrs: cluster,
      calls: { reading: () => undefined },
      logger: { warn },
    } as unknown as RouteSyncerOptions);
    await syncer.syncAll();
    expect(warn).toHaveBeenCalledTimes(1);
    const [, values] = warn.mock.calls[0] ?? [];
    expect(values).toMatchObject({ count: 5000 });
    expect(values.first).toHaveLength(10);
    expect(values.first[0]).toEqual({ route: "r0", cidr: "nonsense" });
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
