import type { core } from "@orchernetes/api";
import { service } from "@orchernetes/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fullBatch, removeBatch, renderDifference } from "../nft/batch.ts";
import { readElements, readTable } from "../nft/listing.ts";
import { reloadBatch } from "../nft/reload.ts";
import { endpointSlice } from "../testing/endpoint-slice.ts";
import { noPacketFilter, rulesAfterEach } from "../testing/packet-filter.ts";
import { RandomServices } from "../testing/random-services.ts";
import { moreAddresses, type Place, placeAddresses, podInterface, ServiceNetwork } from "../testing/service-network.ts";
import type { ServiceSettings } from "./objects/settings.ts";
import { ServiceRules } from "./service-rules.ts";
import { isSlotMap } from "./tables/scopes.ts";

/** Real connections through the rules of the first of two nodes. */

const detectLocal = { mode: "ClusterCIDR", ranges: ["10.244.0.0/16", "fd00:244::/32"] } as const;
const settings: ServiceSettings = { nodeName: "node-a", detectLocal };
const dropMs = 500;

type Pod = "pod-a1" | "pod-a2" | "pod-b1";
const addressOf = (place: Place) => placeAddresses[place].v4;
const at = (...names: readonly Pod[]) =>
  names.map((name) => ({ address: addressOf(name), node: name.startsWith("pod-a") ? "node-a" : "node-b" }));

/** A service at `10.96.0.N`, with node port `30000 + N`, whose endpoints listen at 8080. */
function numbered(n: number, spec: Partial<core.ServiceSpec> = {}, protocol: "TCP" | "UDP" = "TCP"): core.Service {
  const ports = [{ port: 80, targetPort: 8080, protocol, nodePort: 30_000 + n }];
  return service(`s${n}`)
    .clusterIP(`10.96.0.${n}`)
    .spec({ type: "NodePort", ports, ...spec })
    .build();
}

const withIngress = (built: core.Service, ip: string): core.Service => ({
  ...built,
  spec: { ...built.spec, type: "LoadBalancer" },
  status: { loadBalancer: { ingress: [{ ip }] } },
});

/** The chains and sets of printed rules with their contents, in an order that does not depend on when they were added. */
const sorted = (rules = ""): readonly string[] =>
  rules
    // A rule whose map was there before it gets the match of the map's protocol, which prints like this.
    .replaceAll(/(?:tcp|udp|sctp) dport/g, "th dport")
    .split(/\n\n|\{\n(?=\t[a-z])/)
    .map(
      (block) =>
        block
          .match(/[^\s{},]+/g)
          ?.sort()
          .join(" ") ?? "",
    )
    .sort();

/** Loads exactly these services. */
function loadAll(network: ServiceNetwork, objects: readonly (readonly [core.Service, readonly Pod[]])[]): ServiceRules {
  const rules = new ServiceRules(settings, { addresses: [addressOf("node-a")] });
  for (const [built, pods] of objects) {
    rules.setService(built);
    rules.setEndpointSlice(endpointSlice(built, at(...pods)));
  }
  rules.takeChange();
  network.load(fullBatch(rules.table()));
  return rules;
}

const missing = noPacketFilter();
describe.skipIf(missing !== undefined)(`services in the kernel ${missing ?? ""}`, () => {
  let network: ServiceNetwork;
  const names = async (...args: Parameters<ServiceNetwork["ask"]>) => {
    const answers = await network.ask(...args);
    return [...new Set(answers.map((answer) => answer.split(" ")[0]))].sort();
  };

  beforeAll(async () => {
    network = await ServiceNetwork.start(8080);
  });
  afterAll(() => network.stop());

  test("batches of random changes lead to what loading the whole table leads to", () => {
    const world = new RandomServices(5);
    const rules = new ServiceRules(settings);
    const batches = [fullBatch(rules.table())];
    rules.takeChange();
    for (let round = 0; round < 60; round++) {
      world.change(rules);
      batches.push(renderDifference(rules.takeChange().difference));
    }
    const after = rulesAfterEach(batches).at(-1);
    expect(sorted(after)).toEqual(sorted(rulesAfterEach([fullBatch(rules.table())])[0]));
  }, 60_000);

  test("a table is loaded over any other one to the same rules", () => {
    const batches: string[] = [];
    const listing = "nft --terse list table inet orch-proxy";
    for (const seed of [5, 6]) {
      const world = new RandomServices(seed);
      const rules = new ServiceRules(settings);
      for (let round = 0; round < 30; round++) world.change(rules);
      rules.takeChange();
      const found = batches.length === 0 ? undefined : readTable(rulesAfterEach(batches, listing).at(-1) ?? "");
      batches.push(found === undefined ? fullBatch(rules.table()) : reloadBatch(rules.table(), found));
      expect(sorted(rulesAfterEach(batches).at(-1))).toEqual(sorted(rulesAfterEach([fullBatch(rules.table())])[0]));
    }
  }, 60_000);

  test("a cluster address reaches all endpoints, from pods with their own address", async () => {
    loadAll(network, [[numbered(1), ["pod-a2", "pod-b1"]]]);
    const answers = await network.ask("pod-a1", "10.96.0.1", 80, { times: 40 });
    const self = addressOf("pod-a1");
    expect([...new Set(answers)].sort()).toEqual([`pod-a2 ${self}`, `pod-b1 ${self}`]);
    expect(await names("node-a", "10.96.0.1", 80, { times: 40 })).toEqual(["pod-a2", "pod-b1"]);
  });

  test("a client outside reaches a cluster address, as the node", async () => {
    loadAll(network, [[numbered(1), ["pod-b1"]]]);
    expect(await network.ask("outside", "10.96.0.1", 80)).toEqual([`pod-b1 ${addressOf("node-a")}`]);
  });

  test.each([
    { mode: "BridgeInterface", name: podInterface("pod-a1") },
    { mode: "InterfaceNamePrefix", prefix: "veth-a" },
    { mode: "NodeCIDR", ranges: ["10.244.1.0/24"] },
  ] as const)("pods are told from others by $mode", async (mode) => {
    const rules = new ServiceRules({ ...settings, detectLocal: mode });
    rules.setService(numbered(1));
    rules.setEndpointSlice(endpointSlice(numbered(1), at("pod-b1")));
    rules.takeChange();
    network.load(fullBatch(rules.table()));
    expect(await network.ask("pod-a1", "10.96.0.1", 80)).toEqual([`pod-b1 ${addressOf("pod-a1")}`]);
    expect(await network.ask("outside", "10.96.0.1", 80)).toEqual([`pod-b1 ${addressOf("node-a")}`]);
    expect(await network.ask("node-a", "10.96.0.1", 80)).toEqual([`pod-b1 ${addressOf("node-a")}`]);
  });

  test("UDP, and TCP beside it at the same port", async () => {
    loadAll(network, [
      [numbered(2, {}, "UDP"), ["pod-a2", "pod-b1"]],
      [
        { ...numbered(3), spec: { ...numbered(3).spec, clusterIP: "10.96.0.2", clusterIPs: ["10.96.0.2"] } },
        ["pod-a1"],
      ],
    ]);
    expect(await names("pod-a1", "10.96.0.2", 80, { times: 40, protocol: "udp" })).toEqual(["pod-a2", "pod-b1"]);
    expect(await names("pod-a1", "10.96.0.2", 80, { times: 5 })).toEqual(["pod-a1"]);
  });

  test("IPv6", async () => {
    const dual = numbered(1, { clusterIPs: ["10.96.0.1", "fd00:96::1"] });
    const rules = loadAll(network, [[dual, ["pod-a2"]]]);
    rules.setEndpointSlice(
      endpointSlice(
        dual,
        [placeAddresses["pod-a1"].v6, placeAddresses["pod-b1"].v6].map((address) => ({ address })),
      ),
    );
    network.load(renderDifference(rules.takeChange().difference));
    expect(await names("pod-a2", "fd00:96::1", 80, { times: 20 })).toEqual(["pod-a1", "pod-b1"]);
    expect(await names("pod-a1", "fd00:96::1", 80, { times: 20 })).toEqual(["pod-a1", "pod-b1"]);
    expect(await names("outside", placeAddresses["node-a"].v6, 30_001, { times: 20 })).toEqual(["pod-a1", "pod-b1"]);
    expect(await names("pod-a1", "10.96.0.1", 80, { times: 5 })).toEqual(["pod-a2"]);
  });

  test("a node port is served at the node's addresses, and its clients appear as the node", async () => {
    loadAll(network, [[numbered(1, { externalIPs: ["203.0.113.5"] }), ["pod-a1", "pod-b1"]]]);
    const answers = await network.ask("outside", addressOf("node-a"), 30_001, { times: 40 });
    const sources = new Set(answers.map((answer) => answer.split(" ")[1]));
    expect(sources.has(addressOf("outside"))).toBe(false);
    expect(new Set(answers.map((answer) => answer.split(" ")[0]))).toEqual(new Set(["pod-a1", "pod-b1"]));
    expect(await names("outside", moreAddresses["node-a"], 30_001, { times: 20 })).toEqual(["pod-a1", "pod-b1"]);
    expect(await names("node-a", "127.0.0.1", 30_001, { times: 20 })).toEqual(["pod-a1", "pod-b1"]);
    expect(await names("pod-a1", addressOf("node-a"), 30_001, { times: 20 })).toEqual(["pod-a1", "pod-b1"]);
    expect(await names("outside", "203.0.113.5", 80, { times: 20 })).toEqual(["pod-a1", "pod-b1"]);
    expect(await network.ask("outside", addressOf("node-b"), 30_001)).toEqual(["ECONNREFUSED"]);
  });

  test("node ports only at addresses in --nodeport-addresses", async () => {
    const rules = new ServiceRules({ ...settings, nodePortAddresses: [`${moreAddresses["node-a"]}/32`] });
    rules.setService(numbered(1));
    rules.setEndpointSlice(endpointSlice(numbered(1), at("pod-a1")));
    rules.takeChange();
    network.load(fullBatch(rules.table()));
    expect(await names("outside", moreAddresses["node-a"], 30_001)).toEqual(["pod-a1"]);
    expect(await network.ask("outside", addressOf("node-a"), 30_001)).toEqual(["ECONNREFUSED"]);
  });

  test("externalTrafficPolicy Local keeps clients' addresses, and is no limit for the node and its pods", async () => {
    const local = numbered(1, { externalTrafficPolicy: "Local" });
    const remote = numbered(2, { externalTrafficPolicy: "Local" });
    loadAll(network, [
      [withIngress(local, "203.0.113.6"), ["pod-a1", "pod-b1"]],
      [remote, ["pod-b1"]],
    ]);
    const want = [`pod-a1 ${addressOf("outside")}`];
    expect([...new Set(await network.ask("outside", addressOf("node-a"), 30_001, { times: 20 }))]).toEqual(want);
    expect([...new Set(await network.ask("outside", "203.0.113.6", 80, { times: 20 }))]).toEqual(want);
    expect(await network.ask("outside", addressOf("node-a"), 30_002, { timeoutMs: dropMs })).toEqual(["timeout"]);
    expect(await network.ask("pod-a1", addressOf("node-a"), 30_002)).toEqual([`pod-b1 ${addressOf("pod-a1")}`]);
    expect(await names("node-a", addressOf("node-a"), 30_002)).toEqual(["pod-b1"]);
  });

  test("internalTrafficPolicy Local uses the node's own endpoints; without any, packets are dropped", async () => {
    const spec = { internalTrafficPolicy: "Local" } as const;
    loadAll(network, [
      [numbered(1, spec), ["pod-a2", "pod-b1"]],
      [numbered(2, spec), ["pod-b1"]],
    ]);
    expect(await names("pod-a1", "10.96.0.1", 80, { times: 20 })).toEqual(["pod-a2"]);
    expect(await network.ask("pod-a1", "10.96.0.2", 80, { timeoutMs: dropMs })).toEqual(["timeout"]);
  });

  test("load balancers' source ranges", async () => {
    const ranges = { loadBalancerSourceRanges: [`${addressOf("outside")}/32`, "198.51.100.0/24", "198.51.100.7/32"] };
    loadAll(network, [[withIngress(numbered(1, ranges), "203.0.113.7"), ["pod-a1"]]]);
    expect(await names("outside", "203.0.113.7", 80)).toEqual(["pod-a1"]);
    const other = { from: moreAddresses.outside, timeoutMs: dropMs };
    expect(await network.ask("outside", "203.0.113.7", 80, other)).toEqual(["timeout"]);
    expect(await network.ask("pod-a2", "203.0.113.7", 80, { timeoutMs: dropMs })).toEqual(["timeout"]);
  });

  test("source ranges of everywhere, and of less after a change, in one batch each", async () => {
    const ranged = (...ranges: readonly string[]) =>
      withIngress(numbered(1, { loadBalancerSourceRanges: ranges }), "203.0.113.7");
    const rules = loadAll(network, [[ranged("0.0.0.0/0", "::/0"), ["pod-a1"]]]);
    const ask = () => network.ask("outside", "203.0.113.7", 80, { timeoutMs: dropMs });
    const served = [expect.stringMatching(/^pod-a1 /)];
    expect(await ask()).toEqual(served);
    for (const [range, want] of [
      ["192.0.0.0/8", served],
      ["192.0.0.0/16", served],
      ["192.0.0.0/8", served],
      ["192.1.0.0/16", ["timeout"]],
      ["0.0.0.0/0", served],
      ["192.0.2.9/32", served],
    ] as const) {
      rules.setService(ranged(range));
      network.load(renderDifference(rules.takeChange().difference));
      expect([range, await ask()]).toEqual([range, want]);
    }
  });

  test.each(["tcp", "udp"] as const)("a service without endpoints refuses %s", async (protocol) => {
    loadAll(network, [[numbered(1, {}, protocol === "tcp" ? "TCP" : "UDP"), []]]);
    const refused = ["ECONNREFUSED"];
    expect(await network.ask("pod-a1", "10.96.0.1", 80, { protocol })).toEqual(refused);
    expect(await network.ask("node-a", "10.96.0.1", 80, { protocol })).toEqual(refused);
    expect(await network.ask("outside", "10.96.0.1", 80, { protocol })).toEqual(refused);
    expect(await network.ask("outside", addressOf("node-a"), 30_001, { protocol })).toEqual(refused);
  });

  test("a pod reaches itself through its service", async () => {
    loadAll(network, [[numbered(1), ["pod-a1"]]]);
    const [answer] = await network.ask("pod-a1", "10.96.0.1", 80);
    expect(answer).toMatch(/^pod-a1 /);
    expect(answer).not.toBe(`pod-a1 ${addressOf("pod-a1")}`);
  });

  describe("clients stay with an endpoint", () => {
    const sticky = (timeoutSeconds: number) =>
      numbered(1, { sessionAffinity: "ClientIP", sessionAffinityConfig: { clientIP: { timeoutSeconds } } });
    const stay = async (client: Place, port: number, to: string, from?: string) => {
      const options = from === undefined ? {} : { from };
      // Of several first connections at once, each may get another endpoint, because the kernel knows the client of none yet.
      await network.ask(client, to, port, options);
      const found = await names(client, to, port, { times: 12, ...options });
      expect(found).toHaveLength(1);
      return found[0];
    };

    test("until it is gone, while other endpoints come and go", async () => {
      const all = ["pod-a1", "pod-a2", "pod-b1"] as const;
      const rules = loadAll(network, [[sticky(600), all]]);
      const first = await stay("pod-a1", 80, "10.96.0.1");
      const second = await stay("outside", 30_001, addressOf("node-a"), moreAddresses.outside);
      for (const gone of all) {
        for (const pods of [all.filter((name) => name !== gone), all]) {
          rules.setEndpointSlice(endpointSlice(sticky(600), at(...pods)));
          network.load(renderDifference(rules.takeChange().difference));
          const now = await stay("pod-a1", 80, "10.96.0.1");
          if (pods.length === all.length) continue;
          if (gone !== first) expect(now).toBe(first);
          else expect(pods).toContain(now);
        }
        if (gone === first) break;
      }
      expect(["pod-a1", "pod-a2", "pod-b1"]).toContain(second);
    });

    test("when the whole table is loaded again, also by a new process to which the endpoints come in another order", async () => {
      const all = ["pod-a1", "pod-a2", "pod-b1"] as const;
      loadAll(network, [[sticky(600), all]]);
      const first = await stay("outside", 80, "10.96.0.1");
      for (const pods of [all, [...all].reverse(), ["pod-b1", "pod-a1", "pod-a2"] as const]) {
        const rules = new ServiceRules(settings, { addresses: [addressOf("node-a")] });
        const found = readTable(network.list("--terse", "list", "table", "inet", "orch-proxy"));
        const maps = found.sets.filter(({ name }) => isSlotMap(name)).map(({ name }) => name);
        expect(maps).toContain("v4-tcp-sticky-endpoints");
        rules.adopt(
          new Map(maps.map((map) => [map, readElements(network.list("list", "map", "inet", "orch-proxy", map))])),
        );
        rules.setService(sticky(600));
        rules.setEndpointSlice(endpointSlice(sticky(600), at(...pods)));
        rules.takeChange();
        network.load(reloadBatch(rules.table(), found));
        expect(await stay("outside", 80, "10.96.0.1")).toBe(first);
        expect(await names("pod-a1", "10.96.0.1", 80, { times: 12 })).toHaveLength(1);
      }
    });

    test("for the time that the service says, after the last connection", async () => {
      loadAll(network, [[sticky(4), ["pod-a1", "pod-a2", "pod-b1"]]]);
      const seen = new Set<string | undefined>();
      for (let round = 0; round < 12 && seen.size < 2; round++) {
        const first = await stay("outside", 80, "10.96.0.1");
        await new Promise((resolve) => setTimeout(resolve, 1000));
        expect(await stay("outside", 80, "10.96.0.1")).toBe(first);
        seen.add(first);
        await new Promise((resolve) => setTimeout(resolve, 4500));
      }
      expect(seen.size).toBe(2);
    }, 120_000);
  });

  test("an endpoint in the network of its node", async () => {
    const built = numbered(1);
    const rules = loadAll(network, [[built, []]]);
    rules.setEndpointSlice(endpointSlice(built, [{ address: addressOf("node-a"), node: "node-a" }]));
    network.load(renderDifference(rules.takeChange().difference));
    for (const place of ["pod-a1", "node-a", "outside"] as const) {
      expect(await names(place, "10.96.0.1", 80)).toEqual(["node-a"]);
    }
    expect(await names("outside", addressOf("node-a"), 30_001)).toEqual(["node-a"]);
  });

  test("two nodes of one host take their own pods' traffic and that to their own addresses", async () => {
    network.load(removeBatch({ family: "inet", name: "orch-proxy" }));
    const nodes = [
      { name: "n1", pod: "pod-a1", address: addressOf("node-a"), endpoint: "pod-b1", hostTraffic: true },
      { name: "n2", pod: "pod-a2", address: moreAddresses["node-a"], endpoint: "pod-a1", hostTraffic: false },
    ] as const;
    for (const { name, pod, address, endpoint, hostTraffic } of nodes) {
      const onlyNode = { podInterfaces: [podInterface(pod)], addresses: [address], hostTraffic };
      const rules = new ServiceRules({ nodeName: name, tableName: `proxy-${name}`, detectLocal, onlyNode });
      rules.setService(numbered(1));
      rules.setEndpointSlice(endpointSlice(numbered(1), at(endpoint)));
      rules.takeChange();
      network.load(fullBatch(rules.table()));
    }
    try {
      for (const [pod, endpoint] of [
        ["pod-a1", "pod-b1"],
        ["pod-a2", "pod-a1"],
      ] as const) {
        expect(await names(pod, "10.96.0.1", 80, { times: 5 })).toEqual([endpoint]);
      }
      for (const { address, endpoint } of nodes) {
        for (const place of ["outside", "node-a", "pod-a1", "pod-a2"] as const) {
          expect(await names(place, address, 30_001, { times: 5 })).toEqual([endpoint]);
        }
      }
      expect(await names("node-a", "10.96.0.1", 80, { times: 5 })).toEqual(["pod-b1"]);
      expect(await names("node-a", "127.0.0.1", 30_001, { times: 5 })).toEqual(["pod-b1"]);
    } finally {
      for (const { name } of nodes) network.load(removeBatch({ family: "inet", name: `proxy-${name}` }));
    }
  });
});
