import type { core, discovery } from "@orchernetes/api";
import { createMetrics } from "@orchernetes/component";
import { FakeClock, silentLogger } from "@orchernetes/kernel";
import { type FoundTable, ServiceRules, type StaleFlows } from "@orchernetes/proxy";
import { describe, expect, test } from "vitest";
import { ProgramTimeoutError } from "../host/run-program.ts";
import { proxyMetrics } from "../metrics.ts";
import type { PacketFilter } from "../nft/packet-filter.ts";
import { formerSlots, nftablesBackend } from "./nftables-backend.ts";

const service = (name: string, clusterIP: string): core.Service => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name, namespace: "a", uid: name },
  spec: { type: "ClusterIP", clusterIP, clusterIPs: [clusterIP], ports: [{ name: "", port: 53, protocol: "UDP" }] },
  status: { loadBalancer: {} },
});
const slice = (name: string, ...addresses: readonly string[]): discovery.EndpointSlice => ({
  apiVersion: "discovery.o8s.io/v1",
  kind: "EndpointSlice",
  metadata: { name: `${name}-1`, namespace: "a", labels: { "orchernetes.io/service-name": name } },
  addressType: "IPv4",
  endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
  ports: [{ name: "", port: 5353, protocol: "UDP" }],
});

/** A packet filter that notes what it is told, and fails when it is asked to. */
function started(options: { readonly loadsChanges?: boolean; readonly content?: FoundTable } = {}) {
  const { loadsChanges = true, content } = options;
  const batches: string[] = [];
  const flows: StaleFlows[] = [];
  const state = {
    fails: false,
    timesOut: false,
    forgets: false,
    conntrackFails: false,
    rejects: (_batch: string) => false,
  };
  /** What runs of conntrack wait for. */
  const conntrack = { ends: Promise.resolve() };
  const filter: PacketFilter = {
    async load(batch) {
      if (state.timesOut) throw new ProgramTimeoutError("nft: took too long");
      if (state.fails || state.rejects(batch)) throw new Error("nft: no");
      batches.push(batch);
    },
    check: async () => undefined,
    tables: async () => [],
    has: async () => !state.forgets,
    async content() {
      if (content === undefined) throw new Error("nft: no such table");
      return content;
    },
    elements: async (_, map) => new Map([[`${map} element`, "value"]]),
  };
  const metrics = createMetrics();
  const clock = new FakeClock();
  const backend = nftablesBackend({
    filter,
    tableName: "t",
    loadsChanges,
    clock,
    metrics: proxyMetrics(metrics),
    logger: silentLogger,
    async deleteFlows(given) {
      if (state.conntrackFails) throw new Error("conntrack: no");
      flows.push(...given);
      await conntrack.ends;
    },
  });
  const rules = new ServiceRules({ nodeName: "n", tableName: "t", families: ["IPv4"] });
  const apply = () => backend.apply(rules, rules.takeChange());
  const failures = () =>
    [
      ...metrics.render().matchAll(/^orchproxy_sync_proxy_rules_iptables_(?:partial_)?restore_failures_total (\d+)$/gm),
    ].map(([, count]) => Number(count));
  return { apply, backend, batches, clock, filter, conntrack, failures, flows, rules, state };
}

const isFull = (batch = ""): boolean => batch.startsWith("add table inet t\ndelete table inet t\n");

test("the table is loaded once, then changes; nothing is loaded for nothing, and a lost table comes back", async () => {
  const { apply, batches, rules, state } = started();
  rules.setService(service("dns", "10.96.0.10"));
  await apply();
  rules.setEndpointSlice(slice("dns", "10.64.0.7"));
  await apply();
  await apply();
  expect(batches.map(isFull)).toEqual([true, false]);
  expect(batches[1]).toContain("10.64.0.7");
  state.forgets = true;
  await apply();
  expect(batches.map(isFull)).toEqual([true, false, true]);
  expect(batches[2]).toContain("10.64.0.7");
});

test("after a failure the whole table is loaded, with what has changed meanwhile, and both kinds of failures are counted", async () => {
  const { apply, batches, failures, rules, state } = started();
  state.fails = true;
  await expect(apply()).rejects.toThrow("nft: no");
  state.fails = false;
  await apply();
  rules.setService(service("dns", "10.96.0.10"));
  rules.setEndpointSlice(slice("dns", "10.64.0.7"));
  state.fails = true;
  await expect(apply()).rejects.toThrow("nft: no");
  state.fails = false;
  await apply();
  expect(batches.map(isFull)).toEqual([true, true]);
  expect(batches[1]).toContain("10.64.0.7");
  expect(failures().sort()).toEqual([1, 1]);
});

test("after a load that took too long some services lose affinity, and get it back when loads go well for a while", async () => {
  const { apply, batches, clock, rules, state } = started();
  for (let i = 0; i < 20; i++) {
    const { spec, ...rest } = service(`s${i}`, `10.96.1.${i}`);
    const sessionAffinityConfig = { clientIP: { timeoutSeconds: 100 + i } };
    rules.setService({ ...rest, spec: { ...spec, sessionAffinity: "ClientIP", sessionAffinityConfig } });
    rules.setEndpointSlice(slice(`s${i}`, ...[1, 2, 3, 4, 5].map((n) => `10.64.0.${n}`)));
  }
  state.timesOut = true;
  await expect(apply()).rejects.toThrow("took too long");
  state.timesOut = false;
  await apply();
  expect(batches).toHaveLength(1);
  // Eight slots of each service; as many services as have 128 of them are left.
  expect(batches[0]?.match(/^add chain inet t v4-udp-slot-/gm)).toHaveLength(128);
  expect(batches[0]).toContain("10.96.1.19");
  for (let minutes = 0; minutes < 60; minutes++) {
    clock.advance(60_000);
    await apply();
  }
  const changes = batches.slice(1).join("");
  expect(batches.slice(1).some(isFull)).toBe(false);
  expect(changes.match(/^add chain inet t v4-udp-slot-/gm)).toHaveLength(32);
});

test("entries of UDP are deleted when the rules are loaded, not before, and a failure of that is none of the rules", async () => {
  const { apply, flows, rules, state } = started();
  rules.setService(service("dns", "10.96.0.10"));
  rules.setEndpointSlice(slice("dns", "10.64.0.7"));
  state.fails = true;
  await expect(apply()).rejects.toThrow();
  expect(flows).toEqual([]);
  state.fails = false;
  await apply();
  expect(flows).toEqual([{ protocol: "udp", address: "10.96.0.10", port: 53, endpoint: undefined }]);
  rules.setEndpointSlice(slice("dns", "10.64.0.8"));
  await apply();
  await expect
    .poll(() => flows.slice(1))
    .toEqual([{ protocol: "udp", address: "10.96.0.10", port: 53, endpoint: { address: "10.64.0.7", port: 5353 } }]);
  state.conntrackFails = true;
  rules.setEndpointSlice(slice("dns", "10.64.0.9"));
  await apply();
});

test("rules are loaded while entries are being deleted, and what has become stale meanwhile follows in one run", async () => {
  const { apply, backend, batches, conntrack, flows, rules } = started();
  const slow = Promise.withResolvers<void>();
  conntrack.ends = slow.promise;
  rules.setService(service("dns", "10.96.0.10"));
  for (const address of ["10.64.0.7", "10.64.0.8", "10.64.0.9"]) {
    rules.setEndpointSlice(slice("dns", address));
    await apply();
  }
  expect(batches).toHaveLength(3);
  expect(batches[2]).toContain("10.64.0.9");
  expect(flows).toHaveLength(1);
  slow.resolve();
  await expect.poll(() => flows.slice(1).map(({ endpoint }) => endpoint?.address)).toEqual(["10.64.0.7", "10.64.0.8"]);
  await backend.close();
});

test("with feature gate MinimizeIPTablesRestore off every change is the whole table", async () => {
  const { apply, batches, rules } = started({ loadsChanges: false });
  rules.setService(service("dns", "10.96.0.10"));
  await apply();
  rules.setEndpointSlice(slice("dns", "10.64.0.7"));
  await apply();
  await apply();
  expect(batches.map(isFull)).toEqual([true, true]);
});

describe("the clients of services with affinity", () => {
  const clients = "v4-udp-clients-0-in-a";
  const content: FoundTable = {
    chains: ["old"],
    sets: [
      { kind: "set", name: clients },
      { kind: "map", name: "v4-udp-sticky-endpoints" },
      { kind: "map", name: "v4-services" },
    ],
  };
  const sticky = (): core.Service => {
    const built = service("dns", "10.96.0.10");
    return { ...built, spec: { ...built.spec, sessionAffinity: "ClientIP" } };
  };

  test("are kept when the whole table is loaded over that of a former process, and after an error", async () => {
    const { apply, batches, rules, state } = started({ content });
    rules.setService(sticky());
    rules.setEndpointSlice(slice("dns", "10.64.0.7"));
    await apply();
    state.fails = true;
    rules.setEndpointSlice(slice("dns", "10.64.0.7", "10.64.0.8"));
    await expect(apply()).rejects.toThrow();
    state.fails = false;
    await apply();
    expect(batches).toHaveLength(2);
    for (const batch of batches) {
      expect(batch).toMatch(/^flush table inet t\n/);
      expect(batch).toContain("delete chain inet t old\n");
      expect(batch).toContain("delete map inet t v4-services\n");
      expect(batch).not.toContain(`delete set inet t ${clients}\n`);
      expect(batch).not.toContain("delete table");
    }
  });

  test("are lost where the kernel does not take such a batch, or nobody is to be kept", async () => {
    const { apply, batches, rules, state } = started({ content });
    state.rejects = (batch) => batch.startsWith("flush table");
    rules.setService(sticky());
    rules.setEndpointSlice(slice("dns", "10.64.0.7"));
    await apply();
    expect(batches.map(isFull)).toEqual([true]);
    const without = started({ content });
    without.rules.setService(service("dns", "10.96.0.10"));
    await without.apply();
    expect(without.batches.map(isFull)).toEqual([true]);
  });

  test("and the slots of their endpoints are read from the table of a former process, if it has any", async () => {
    const { filter } = started({ content });
    const map = "v4-udp-sticky-endpoints";
    expect(await formerSlots(filter, "t")).toEqual(new Map([[map, new Map([[`${map} element`, "value"]])]]));
    expect(await formerSlots(started().filter, "t")).toEqual(new Map());
  });
});
