import type { core } from "@orchernetes/api";
import { service } from "@orchernetes/testkit";
import { describe, expect, test } from "vitest";
import { fullBatch, renderDifference } from "../nft/batch.ts";
import { differenceOf, isEmptyDifference } from "../nft/difference.ts";
import { isDynamic } from "../nft/reload.ts";
import type { NftTable } from "../nft/table.ts";
import { endpointSlice, type TestEndpoint } from "../testing/endpoint-slice.ts";
import type { ServiceSettings } from "./objects/settings.ts";
import { ServiceRules } from "./service-rules.ts";

const dns = (spec: Partial<core.ServiceSpec> = {}) =>
  service("dns")
    .clusterIP("10.96.0.10")
    .spec({ ports: [{ port: 53, targetPort: 5353, protocol: "UDP" }], ...spec })
    .build();
const web = service("web").clusterIP("10.96.0.1").port(80, 8080).build();

/** Rules that have been loaded, with these services and endpoints. */
function loaded(
  objects: readonly (readonly [core.Service, readonly (string | TestEndpoint)[]])[],
  settings: Partial<ServiceSettings> = {},
): ServiceRules {
  const rules = new ServiceRules({ nodeName: "node-1", ...settings });
  for (const [built, endpoints] of objects) {
    rules.setService(built);
    rules.setEndpointSlice(endpointSlice(built, endpoints));
  }
  rules.takeChange();
  return rules;
}

const elementsOf = (table: NftTable, set: string) =>
  Object.fromEntries(table.sets.find(({ name }) => name === set)?.elements ?? []);
const copyOf = (table: NftTable): NftTable => structuredClone(table);

describe("the table", () => {
  test("has a service's address, its endpoints by number, and the addresses of its own endpoints", () => {
    const rules = loaded([
      [
        web,
        [
          { address: "10.244.0.1", node: "node-1" },
          { address: "10.244.1.1", node: "node-2" },
        ],
      ],
    ]);
    const table = rules.table();
    expect(elementsOf(table, "v4-services")).toEqual({ "10.96.0.1 . tcp . 80": "goto v4-tcp-pick-2" });
    expect(elementsOf(table, "v4-tcp-endpoints")).toEqual({
      "10.96.0.1 . tcp . 80 . 0": "10.244.0.1 . 8080",
      "10.96.0.1 . tcp . 80 . 1": "10.244.1.1 . 8080",
    });
    expect(elementsOf(table, "v4-hairpins")).toEqual({ "10.244.0.1 . 10.244.0.1": "" });
  });

  test("is the same as an empty one after everything is gone", () => {
    const empty = copyOf(new ServiceRules({ nodeName: "node-1" }).table());
    const objects = [dns({ sessionAffinity: "ClientIP" }), web];
    const rules = loaded(objects.map((built) => [built, ["10.244.0.1", "10.244.0.2"]] as const));
    for (const built of objects) {
      rules.deleteEndpointSlice(endpointSlice(built, ["10.244.0.1"]));
      rules.deleteService(built);
    }
    rules.takeChange();
    const difference = differenceOf(empty, rules.table());
    expect(difference === undefined || isEmptyDifference(difference)).toBe(true);
    expect([...rules.frontends()]).toEqual([]);
  });

  test.each([
    ["headless services", { clusterIP: "None", clusterIPs: ["None"] }, {}],
    ["services of type ExternalName", { type: "ExternalName", externalName: "example.com" } as const, {}],
    ["services of other proxies", {}, { "service.orchernetes.io/service-proxy-name": "other" }],
    ["services with the label headless", {}, { "service.orchernetes.io/headless": "" }],
    ["ports beyond the range", { ports: [{ port: 70_000 }] }, {}],
  ])("does not have %s", (_title, spec, labels) => {
    const built = service("web").clusterIP("10.96.0.1").port(80, 8080).spec(spec).labels(labels).build();
    const rules = loaded([[built, ["10.244.0.1"]]]);
    expect(fullBatch(rules.table())).toBe(fullBatch(new ServiceRules({ nodeName: "node-1" }).table()));
  });

  test("does not have endpoints of slices of other proxies, of other families and of nonsense", () => {
    const slice = endpointSlice(web, ["10.244.0.1"]);
    const labels = { ...slice.metadata.labels, "service.orchernetes.io/service-proxy-name": "other" };
    const rules = loaded([[web, []]]);
    rules.setEndpointSlice({ ...slice, metadata: { ...slice.metadata, name: "a", labels } });
    rules.setEndpointSlice({ ...slice, metadata: { ...slice.metadata, name: "b" }, addressType: "FQDN" });
    rules.setEndpointSlice({
      ...slice,
      metadata: { ...slice.metadata, name: "c" },
      endpoints: [{ addresses: ["x; drop"], conditions: {} }],
    });
    rules.setEndpointSlice({ ...slice, metadata: { ...slice.metadata, name: "d" }, ports: [{ name: "", port: 0 }] });
    expect(isEmptyDifference(rules.takeChange().difference)).toBe(true);
  });

  test("has an endpoint of two slices once", () => {
    const rules = loaded([[web, ["10.244.0.1"]]]);
    rules.setEndpointSlice(endpointSlice(web, ["10.244.0.1"], "second"));
    expect(isEmptyDifference(rules.takeChange().difference)).toBe(true);
  });

  test("gives an address that two services name to the one with a cluster address, then to a load balancer, then to the older one", () => {
    const [a, b] = ["a", "b"].map((name, i) =>
      service(name)
        .clusterIP(`10.96.1.${i}`)
        .port(80, 8080)
        .spec({ externalIPs: ["203.0.113.1"] })
        .build(),
    );
    if (a === undefined || b === undefined) throw new Error("two services were built");
    const rules = loaded([
      [b, ["10.244.0.2"]],
      [a, ["10.244.0.1"]],
    ]);
    const endpoint = () => elementsOf(rules.table(), "v4-tcp-endpoints")["203.0.113.1 . tcp . 80 . 0"];
    expect(endpoint()).toBe("10.244.0.1 . 8080");
    rules.setService({ ...b, metadata: { ...b.metadata, creationTimestamp: "2023-12-31T23:59:59Z" } });
    rules.takeChange();
    expect(endpoint()).toBe("10.244.0.2 . 8080");
    rules.setService(b);
    rules.takeChange();
    expect(endpoint()).toBe("10.244.0.1 . 8080");
    rules.setService({
      ...b,
      spec: { ...b.spec, type: "LoadBalancer", externalIPs: [] },
      status: { loadBalancer: { ingress: [{ ip: "203.0.113.1" }] } },
    });
    rules.takeChange();
    expect(endpoint()).toBe("10.244.0.2 . 8080");
    rules.setService(b);
    rules.takeChange();
    rules.deleteService(a);
    rules.takeChange();
    expect(endpoint()).toBe("10.244.0.2 . 8080");
    const owner = service("owner").clusterIP("203.0.113.1").port(80, 8080).build();
    rules.setService(owner);
    rules.setEndpointSlice(endpointSlice(owner, ["10.244.0.3"]));
    rules.takeChange();
    expect(endpoint()).toBe("10.244.0.3 . 8080");
  });

  test("has at most 1024 endpoints of a service with affinity, and keeps those that it has", () => {
    const sticky = service("web").clusterIP("10.96.0.1").port(80, 8080).spec({ sessionAffinity: "ClientIP" }).build();
    const address = (i: number) => `10.244.${i >> 8}.${i & 0xff}`;
    const endpoints = Array.from({ length: 1500 }, (_, i) => address(i));
    const rules = loaded([[sticky, endpoints.slice(0, 1000)]]);
    const slots = () => elementsOf(rules.table(), "v4-tcp-sticky-endpoints");
    const first = slots();
    rules.setEndpointSlice(endpointSlice(sticky, [...endpoints].reverse()));
    rules.takeChange();
    expect(Object.keys(slots())).toHaveLength(1024);
    expect(slots()).toMatchObject(first);
    expect(rules.table().sets.filter(({ name }) => name.startsWith("v4-tcp-clients-"))).toHaveLength(1024);
  });

  test("has nothing of a family that is switched off", () => {
    const dual = service("web")
      .port(80)
      .spec({ clusterIPs: ["10.96.0.1", "fd00:96::1"] })
      .build();
    const rules = loaded([[dual, ["fd00::1"]]], { families: ["IPv4"] });
    expect(fullBatch(rules.table())).not.toMatch(/ip6|v6|fd00/);
  });
});

describe("a change", () => {
  test("of one endpoint is a batch of the same size whatever else there is", () => {
    const others = Array.from({ length: 200 }, (_, i) =>
      service(`other-${i}`).clusterIP(`10.97.0.${i}`).port(80, 8080).build(),
    );
    const rules = loaded([
      [web, ["10.244.0.1", "10.244.0.2"]],
      ...others.map((built) => [built, ["10.244.2.1"]] as const),
    ]);
    rules.setEndpointSlice(endpointSlice(web, ["10.244.0.1", "10.244.0.3"]));
    expect(renderDifference(rules.takeChange().difference).split("\n")).toEqual([
      "delete element inet orch-proxy v4-tcp-endpoints { 10.96.0.1 . tcp . 80 . 1 }",
      "delete element inet orch-proxy v4-hairpins { 10.244.0.2 . 10.244.0.2 }",
      "add element inet orch-proxy v4-tcp-endpoints { 10.96.0.1 . tcp . 80 . 1 : 10.244.0.3 . 8080 }",
      "add element inet orch-proxy v4-hairpins { 10.244.0.3 . 10.244.0.3 }",
      "",
    ]);
  });

  test("that is taken back before it is taken is none", () => {
    const rules = loaded([[web, ["10.244.0.1"]]]);
    rules.setEndpointSlice(endpointSlice(web, []));
    rules.setEndpointSlice(endpointSlice(web, ["10.244.0.1"]));
    expect(isEmptyDifference(rules.takeChange().difference)).toBe(true);
  });

  test("of a slice's service moves its endpoints", () => {
    const other = service("other").clusterIP("10.96.0.2").port(80, 8080).build();
    const rules = loaded([
      [web, ["10.244.0.1"]],
      [other, []],
    ]);
    const slice = endpointSlice(web, ["10.244.0.1"]);
    const labels = { "orchernetes.io/service-name": "other" };
    rules.setEndpointSlice({ ...slice, metadata: { ...slice.metadata, labels } });
    rules.takeChange();
    expect(Object.keys(elementsOf(rules.table(), "v4-services"))).toEqual(["10.96.0.2 . tcp . 80"]);
    expect(elementsOf(rules.table(), "v4-unserved")).toEqual({ "10.96.0.1 . tcp . 80": "goto refuse" });
  });

  test("of a service that comes after its slices", () => {
    const rules = new ServiceRules({ nodeName: "node-1" });
    rules.setEndpointSlice(endpointSlice(web, ["10.244.0.1"]));
    rules.takeChange();
    rules.setService(web);
    rules.takeChange();
    expect(Object.keys(elementsOf(rules.table(), "v4-services"))).toEqual(["10.96.0.1 . tcp . 80"]);
  });

  test("of the node's zone, as far as it is one", () => {
    const hinted = service("web").clusterIP("10.96.0.1").port(80, 8080);
    const built = hinted.annotations({ "service.orchernetes.io/topology-aware-hints": "auto" }).build();
    const rules = loaded([
      [
        built,
        [
          { address: "10.244.0.1", zones: ["a"] },
          { address: "10.244.1.1", zones: ["b"] },
        ],
      ],
    ]);
    const endpoints = () => Object.values(elementsOf(rules.table(), "v4-tcp-endpoints"));
    expect(endpoints()).toHaveLength(2);
    rules.setNode({ zone: "b" });
    rules.takeChange();
    expect(endpoints()).toEqual(["10.244.1.1 . 8080"]);
    rules.setNode({ zone: "b", addresses: [] });
    expect(isEmptyDifference(rules.takeChange().difference)).toBe(true);
  });
});

test.each([
  ["Auto", 1],
  ["PreferZone", 1],
  ["Disabled", 2],
  ["disabled", 2],
  ["", 2],
])("topology mode %j leaves %d of two hinted endpoints", (mode, count) => {
  const annotated = service("web").clusterIP("10.96.0.1").port(80, 8080);
  const built = annotated.annotations({ "service.orchernetes.io/topology-mode": mode }).build();
  const hinted = ["a", "b"].map((zone, i) => ({ address: `10.244.${i}.1`, zones: [zone] }));
  const rules = loaded([[built, hinted]]);
  rules.setNode({ zone: "b" });
  rules.takeChange();
  expect(Object.values(elementsOf(rules.table(), "v4-tcp-endpoints"))).toHaveLength(count);
});

describe("stale entries of connection tracking", () => {
  const flow = (endpoint?: string) => ({
    protocol: "udp",
    address: "10.96.0.10",
    port: 53,
    endpoint: endpoint === undefined ? undefined : { address: endpoint, port: 5353 },
  });
  const staleAfter = (rules: ServiceRules, built: core.Service, endpoints: readonly string[]) => {
    rules.setEndpointSlice(endpointSlice(built, endpoints));
    return rules.takeChange().staleFlows;
  };

  test("all of a service that gets its first endpoint", () => {
    expect(staleAfter(loaded([[dns(), []]]), dns(), ["10.244.0.1"])).toEqual([flow()]);
  });

  test("those of an endpoint that is gone", () => {
    const rules = loaded([[dns(), ["10.244.0.1", "10.244.0.2"]]]);
    expect(staleAfter(rules, dns(), ["10.244.0.2", "10.244.0.3"])).toEqual([flow("10.244.0.1")]);
    expect(staleAfter(rules, dns(), [])).toEqual([flow("10.244.0.2"), flow("10.244.0.3")]);
  });

  test("those of a service that is gone, at its node port, too", () => {
    const ports: core.ServicePort[] = [{ port: 53, targetPort: 5353, protocol: "UDP", nodePort: 30_053 }];
    const built = dns({ type: "NodePort", ports });
    const rules = loaded([[built, ["10.244.0.1"]]], { families: ["IPv4"] });
    rules.deleteService(built);
    const nodePort = { ...flow("10.244.0.1"), address: undefined, port: 30_053 };
    expect(rules.takeChange().staleFlows).toEqual([flow("10.244.0.1"), nodePort]);
  });

  test("none for TCP, and none if nothing has changed", () => {
    const rules = loaded([
      [web, ["10.244.0.1"]],
      [dns(), ["10.244.0.1"]],
    ]);
    expect(staleAfter(rules, web, ["10.244.0.2"])).toEqual([]);
    expect(staleAfter(rules, dns(), ["10.244.0.1"])).toEqual([]);
  });
});

describe("health checks", () => {
  const balanced = service("web")
    .clusterIP("10.96.0.1")
    .port(80, 8080)
    .spec({ type: "LoadBalancer", externalTrafficPolicy: "Local", healthCheckNodePort: 32_000 })
    .build();

  test("count ready endpoints of the node", () => {
    const rules = loaded([
      [
        balanced,
        [
          { address: "10.244.0.1", node: "node-1" },
          { address: "10.244.0.2", node: "node-1", conditions: { ready: false, serving: true, terminating: true } },
          { address: "10.244.1.1", node: "node-2" },
        ],
      ],
    ]);
    const check = { namespace: "default", name: "web", port: 32_000, localEndpoints: 1 };
    expect([...rules.healthChecks()]).toEqual([["default/web", check]]);
    rules.setEndpointSlice(endpointSlice(balanced, [{ address: "10.244.1.1", node: "node-2" }]));
    expect(rules.takeChange().haveHealthChecksChanged).toBe(true);
    expect(rules.healthChecks().get("default/web")?.localEndpoints).toBe(0);
    expect(rules.takeChange().haveHealthChecksChanged).toBe(false);
    rules.deleteService(balanced);
    expect(rules.takeChange().haveHealthChecksChanged).toBe(true);
    expect(rules.healthChecks().size).toBe(0);
  });

  test("are for load balancers with policy Local only", () => {
    const others = [web, { ...balanced, spec: { ...balanced.spec, externalTrafficPolicy: "Cluster" as const } }];
    for (const built of others) expect(loaded([[built, ["10.244.0.1"]]]).healthChecks().size).toBe(0);
  });
});

test.each([
  [{ masqueradeBit: 32 }, "invalid masquerade bit 32: want a whole number from 0 to 31"],
  [
    { detectLocal: { mode: "BridgeInterface", name: 'x" drop' } } as const,
    /^invalid network interface "x" drop": want/,
  ],
  [{ detectLocal: { mode: "InterfaceNamePrefix", prefix: "" } } as const, /^invalid network interface "": want/],
  [{ detectLocal: { mode: "ClusterCIDR", ranges: ["10.0.0.1"] } } as const, /^invalid range of pods "10.0.0.1": want/],
])("settings that the packet filter would not accept are rejected: %j", (settings, message) => {
  expect(() => new ServiceRules({ nodeName: "node-1", ...settings })).toThrow(message);
});

test.each([
  ["by interface", { detectLocal: { mode: "BridgeInterface", name: "cni0" } }, 'iifname != "cni0" meta mark set'],
  ["by prefix", { detectLocal: { mode: "InterfaceNamePrefix", prefix: "cali" } }, 'iifname != "cali*" meta mark set'],
  [
    "by a prefix that is a whole name",
    { detectLocal: { mode: "InterfaceNamePrefix", prefix: "fifteen-letters" } },
    'iifname != "fifteen-letters" meta mark set',
  ],
  ["all", { masqueradeAll: true }, "internal-1 meta mark set meta mark or 0x4000"],
  ["with another bit", { masqueradeAll: true, masqueradeBit: 31 }, "meta mark set meta mark or 0x80000000"],
] as const)("traffic to cluster addresses is masqueraded %s", (_title, settings, rule) => {
  expect(fullBatch(loaded([[web, ["10.244.0.1"]]], settings).table())).toContain(rule);
});

test("with feature gate TopologyAwareHints off hints are passed over", () => {
  const built = service("web").clusterIP("10.96.0.1").port(80, 8080);
  const hinted = built.annotations({ "service.orchernetes.io/topology-mode": "Auto" }).build();
  const endpoints = ["a", "b"].map((zone, i) => ({ address: `10.244.${i}.1`, zones: [zone] }));
  for (const [topologyHints, count] of [
    [true, 1],
    [false, 2],
  ] as const) {
    const rules = loaded([[hinted, endpoints]], { topologyHints });
    rules.setNode({ zone: "b" });
    rules.takeChange();
    expect(Object.keys(elementsOf(rules.table(), "v4-tcp-endpoints"))).toHaveLength(count);
  }
});

test("with feature gate ProxyTerminatingEndpoints off endpoints that terminate are none", () => {
  const conditions = { ready: false, serving: true, terminating: true };
  for (const [terminatingEndpoints, expected] of [
    [true, {}],
    [false, { "10.96.0.1 . tcp . 80": "goto refuse" }],
  ] as const) {
    const rules = loaded([[web, [{ address: "10.244.0.1", conditions }]]], { terminatingEndpoints });
    expect(elementsOf(rules.table(), "v4-unserved")).toEqual(expected);
  }
});

describe("clients of services with affinity", () => {
  const stickyIn = (namespace: string, n: number) => {
    const { metadata, ...rest } = service("web")
      .clusterIP(`10.96.0.${n}`)
      .port(80, 8080)
      .spec({ sessionAffinity: "ClientIP" })
      .build();
    return { ...rest, metadata: { ...metadata, namespace } };
  };

  test("are noted for each namespace apart, so that none uses up what others have", () => {
    const rules = loaded([
      [stickyIn("a", 1), ["10.244.0.1"]],
      [stickyIn("b", 2), ["10.244.0.2"]],
    ]);
    const { sets, chains } = rules.table();
    const dynamic = sets.filter(isDynamic).map(({ name }) => name);
    expect(dynamic).toEqual(["v4-tcp-clients-0-in-a", "v4-tcp-clients-0-in-b"]);
    for (const namespace of ["a", "b"]) {
      const own = chains.filter(({ name }) => name.endsWith(`-in-${namespace}`)).flatMap((chain) => chain.rules);
      const others = dynamic.filter((name) => !name.endsWith(`-in-${namespace}`));
      expect(own.length).toBeGreaterThan(0);
      expect(own.filter((rule) => others.some((name) => rule.includes(name)))).toEqual([]);
    }
  });

  test("find their endpoints in the slots of a former process, whatever order they come in", () => {
    const rules = new ServiceRules({ nodeName: "node-1" });
    const key = "10.96.0.1 . tcp . 80";
    rules.adopt(
      new Map([
        [
          "v4-tcp-sticky-endpoints",
          new Map([
            [`${key} . 2`, "10.244.0.1 . 8080"],
            [`${key} . 0`, "10.244.0.9 . 8080"],
            [`${key} . 4000000000`, "10.244.0.2 . 8080"],
            ["nonsense", "10.244.0.2 . 8080"],
          ]),
        ],
        ["v4-tcp-endpoints", new Map([[`${key} . 0`, "10.244.0.2 . 8080"]])],
      ]),
    );
    const built = stickyIn("a", 1);
    rules.setService(built);
    rules.setEndpointSlice(endpointSlice(built, ["10.244.0.2", "10.244.0.1"]));
    rules.takeChange();
    expect(elementsOf(rules.table(), "v4-tcp-sticky-endpoints")).toEqual({
      [`${key} . 0`]: "10.244.0.2 . 8080",
      [`${key} . 2`]: "10.244.0.1 . 8080",
    });
  });
});
