import { core } from "@orchernetes/api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AllocatingCluster, type AllocatingServer, causesOf, serviceOf } from "./testing.ts";

const v4 = "10.0.0.0/16";
const v6 = "fd00::/108";
const clusters = { v4: [v4], v6: [v6], "v4,v6": [v4, v6], "v6,v4": [v6, v4] } as const;
type Ranges = keyof typeof clusters;

const running = new Map<Ranges, { cluster: AllocatingCluster; server: AllocatingServer }>();
beforeAll(async () => {
  for (const ranges of Object.keys(clusters) as Ranges[]) {
    const cluster = await AllocatingCluster.start();
    running.set(ranges, { cluster, server: await cluster.addServer({ ranges: clusters[ranges] }) });
  }
});
afterAll(async () => {
  for (const { cluster } of running.values()) await cluster.stop();
});

let names = 0;
const store = (ranges: Ranges) => {
  const found = running.get(ranges);
  if (found === undefined) throw new TypeError(`no server with ${ranges}`);
  return found.server.registry.forDefinition(core.services);
};
const create = (ranges: Ranges, spec: object) => store(ranges).create(serviceOf(`s${names++}`, spec));

/** Policy, families and families of the addresses: `PreferDualStack 4,6 [4,6]`. */
function shown({ ipFamilyPolicy, ipFamilies = [], clusterIPs = [] }: core.ServiceSpec): string {
  const addresses = clusterIPs.map((ip) => (ip === "None" ? ip : ip.includes(":") ? "6" : "4"));
  return `${ipFamilyPolicy ?? "-"} ${ipFamilies.map((f) => f.slice(3)).join(",")} [${addresses.join(",")}]`;
}

const single = { ipFamilyPolicy: "SingleStack" };
const prefer = { ipFamilyPolicy: "PreferDualStack" };
const require = { ipFamilyPolicy: "RequireDualStack" };
const headless = { clusterIP: "None" };
const selected = { selector: { app: "a" } };
const notDual = (policy = "RequireDualStack") =>
  `spec.ipFamilyPolicy: Invalid value: "${policy}": this cluster is not configured for dual-stack services`;
const noFamily = (i: number, family: string) =>
  `spec.ipFamilies[${i}]: Invalid value: "${family}": not configured on this cluster`;
const several = (what: string) =>
  `spec.ipFamilyPolicy: Invalid value: "SingleStack": must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`;

describe("created", () => {
  test.each<readonly [Ranges, object, string]>([
    ["v4", {}, "SingleStack 4 [4]"],
    ["v6", {}, "SingleStack 6 [6]"],
    ["v4,v6", {}, "SingleStack 4 [4]"],
    ["v6,v4", {}, "SingleStack 6 [6]"],
    ["v4", prefer, "PreferDualStack 4 [4]"],
    ["v4,v6", prefer, "PreferDualStack 4,6 [4,6]"],
    ["v6,v4", prefer, "PreferDualStack 6,4 [6,4]"],
    ["v4,v6", require, "RequireDualStack 4,6 [4,6]"],
    ["v4,v6", { ...require, ipFamilies: ["IPv6"] }, "RequireDualStack 6,4 [6,4]"],
    ["v4,v6", { ...require, ipFamilies: ["IPv6", "IPv4"] }, "RequireDualStack 6,4 [6,4]"],
    ["v4,v6", { ipFamilies: ["IPv6"] }, "SingleStack 6 [6]"],
    ["v4,v6", { clusterIP: "fd00::9" }, "SingleStack 6 [6]"],
    ["v4,v6", { ...prefer, clusterIP: "fd00::a" }, "PreferDualStack 6,4 [6,4]"],
    ["v4,v6", { ...prefer, clusterIP: "fd00::b", clusterIPs: ["fd00::b", "10.0.0.9"] }, "PreferDualStack 6,4 [6,4]"],
    ["v4", { ...headless, ...selected }, "SingleStack 4 [None]"],
    ["v4,v6", { ...headless, ...selected }, "SingleStack 4 [None]"],
    ["v4,v6", { ...headless, ...selected, ...prefer }, "PreferDualStack 4,6 [None]"],
    ["v4,v6", { ...headless, ...selected, ...require }, "RequireDualStack 4,6 [None]"],
    ["v4", { ...headless, ...selected, ...prefer }, "PreferDualStack 4 [None]"],
    // Without a selector the cluster's ranges mean nothing to a headless service.
    ["v4", headless, "RequireDualStack 4,6 [None]"],
    ["v6", headless, "RequireDualStack 6,4 [None]"],
    ["v4", { ...headless, ...single }, "SingleStack 4 [None]"],
    ["v4", { ...headless, ...prefer }, "PreferDualStack 4,6 [None]"],
    ["v4", { ...headless, ipFamilies: ["IPv6"] }, "RequireDualStack 6,4 [None]"],
    ["v4", { ...headless, ...single, ipFamilies: ["IPv6"] }, "SingleStack 6 [None]"],
    ["v4,v6", { type: "ExternalName", externalName: "a.b" }, "-  []"],
  ])("in %s %j: %s", async (ranges, spec, want) => {
    expect(shown((await create(ranges, spec)).spec)).toBe(want);
  });

  test.each<readonly [Ranges, object, readonly string[]]>([
    ["v4", require, [notDual()]],
    ["v6", { ...require, ...headless, ...selected }, [notDual()]],
    ["v4", { ipFamilies: ["IPv6"] }, [noFamily(0, "IPv6")]],
    ["v4", { ...prefer, ipFamilies: ["IPv4", "IPv6"] }, [noFamily(1, "IPv6")]],
    ["v4", { ...require, ipFamilies: ["IPv4", "IPv6"] }, [notDual(), noFamily(1, "IPv6")]],
    ["v4,v6", { ipFamilies: ["IPv4", "IPv6"] }, [several("IP families")]],
    ["v4,v6", { ...single, ipFamilies: ["IPv4", "IPv6"] }, [several("IP families")]],
    ["v4,v6", { clusterIP: "10.0.0.11", clusterIPs: ["10.0.0.11", "fd00::c"] }, [several("cluster IPs")]],
    ["v4", { ...headless, ipFamilies: ["IPv4", "IPv6"], ...single }, [several("IP families")]],
    [
      "v4",
      { clusterIP: "fd00::1" },
      ['spec.clusterIPs[0]: Invalid value: []string{"fd00::1"}: IPv6 is not configured on this cluster'],
    ],
  ])("in %s %j is refused", async (ranges, spec, want) => {
    expect(await causesOf(create(ranges, spec))).toEqual(want);
  });
});

/** A client that reads, changes and writes everything back; undefined members are left out. */
const put = (ranges: Ranges, { metadata, spec }: core.Service, change: object) =>
  store(ranges).update({ namespace: "default", name: metadata.name ?? "" }, (draft) => {
    const next = { ...spec, ...change } as core.ServiceSpec;
    for (const key of Object.keys(next) as (keyof core.ServiceSpec)[]) if (next[key] === undefined) delete next[key];
    draft.spec = structuredClone(next) as typeof draft.spec;
    return true;
  });

const silent = { ipFamilyPolicy: undefined, ipFamilies: undefined, clusterIP: undefined, clusterIPs: undefined };
const oneMore = (what: string) =>
  `spec.ipFamilyPolicy: Invalid value: "RequireDualStack": must be 'SingleStack' to release the secondary ${what}`;

describe("changed", () => {
  test.each<readonly [string, Ranges, object, object, string]>([
    ["a PUT that names nothing keeps one stack", "v4,v6", {}, silent, "SingleStack 4 [4]"],
    ["a PUT that names nothing keeps two stacks", "v4,v6", require, silent, "RequireDualStack 4,6 [4,6]"],
    ["a PUT without a policy keeps it", "v4,v6", prefer, { ipFamilyPolicy: undefined }, "PreferDualStack 4,6 [4,6]"],
    ["a PUT without families keeps them", "v4,v6", prefer, { ipFamilies: undefined }, "PreferDualStack 4,6 [4,6]"],
    ["a PATCH to one stack drops the second", "v4,v6", require, single, "SingleStack 4 [4]"],
    [
      "a PATCH to one stack, headless",
      "v4,v6",
      { ...headless, ...selected, ...prefer },
      single,
      "SingleStack 4 [None]",
    ],
    ["a PATCH to two stacks adds the second", "v4,v6", {}, require, "RequireDualStack 4,6 [4,6]"],
    ["a PATCH that prefers two stacks", "v6,v4", {}, prefer, "PreferDualStack 6,4 [6,4]"],
    ["a PATCH that prefers two stacks where there is one", "v4", {}, prefer, "PreferDualStack 4 [4]"],
    [
      "a second family with its policy",
      "v4,v6",
      {},
      { ...prefer, ipFamilies: ["IPv4", "IPv6"] },
      "PreferDualStack 4,6 [4,6]",
    ],
    ["one family less with its policy", "v4,v6", require, { ...single, ipFamilies: ["IPv4"] }, "SingleStack 4 [4]"],
    ["to an external name", "v4,v6", require, { type: "ExternalName", externalName: "a.b" }, "-  []"],
    [
      "from an external name",
      "v4,v6",
      { type: "ExternalName", externalName: "a.b" },
      { type: "ClusterIP", externalName: undefined },
      "SingleStack 4 [4]",
    ],
    [
      "from an external name to two stacks",
      "v4,v6",
      { type: "ExternalName", externalName: "a.b" },
      { type: "ClusterIP", externalName: undefined, ...prefer },
      "PreferDualStack 4,6 [4,6]",
    ],
    [
      "from an external name to headless",
      "v4,v6",
      { type: "ExternalName", externalName: "a.b" },
      { type: "ClusterIP", externalName: undefined, ...headless, ...selected },
      "SingleStack 4 [None]",
    ],
  ])("%s", async (_, ranges, before, change, want) => {
    const old = await create(ranges, before);
    const { spec } = await put(ranges, old, change);
    expect(shown(spec)).toBe(want);
    // What stays has the address that it had.
    if (old.spec.clusterIPs !== undefined && spec.clusterIPs !== undefined)
      expect(spec.clusterIPs[0]).toBe(old.spec.clusterIPs[0]);
  });

  test.each<readonly [string, Ranges, object, object, readonly string[]]>([
    ["RequireDualStack on one stack", "v4", {}, require, [notDual()]],
    ["one family less without the policy", "v4,v6", require, { ipFamilies: ["IPv4"] }, [oneMore("IP family")]],
    ["two families without a policy", "v4,v6", {}, { ipFamilies: ["IPv4", "IPv6"] }, [several("IP families")]],
    [
      "other families",
      "v4,v6",
      require,
      { ipFamilies: ["IPv6", "IPv4"] },
      [
        `spec.clusterIPs[0]: Invalid value: "10.0.0.77": expected an IPv6 value as indicated by \`ipFamilies[0]\``,
        `spec.clusterIPs[1]: Invalid value: "fd00::77": expected an IPv4 value as indicated by \`ipFamilies[1]\``,
      ],
    ],
  ])("%s is refused", async (_, ranges, before, change, want) => {
    const swapped = Object.hasOwn(change, "ipFamilies") && want.length === 2;
    const chosen = swapped ? { clusterIP: "10.0.0.77", clusterIPs: ["10.0.0.77", "fd00::77"] } : {};
    const old = await create(ranges, { ...before, ...chosen });
    expect(await causesOf(put(ranges, old, change))).toEqual(want);
  });

  test("a service that prefers two stacks does not gain one by an update of something else", async () => {
    const old = await create("v4", prefer);
    // As if the cluster had one range when it was created and two now.
    const value = Buffer.from(JSON.stringify({ ...old, kind: "Service", apiVersion: "v1" }));
    const { cluster } = running.get("v4,v6") ?? {};
    await cluster?.store.commit(
      [],
      [{ type: "put", key: `/registry/services/specs/default/${old.metadata.name}`, value }],
    );
    const updated = await put("v4,v6", old, { sessionAffinity: "ClientIP" });
    expect(shown(updated.spec)).toBe("PreferDualStack 4 [4]");
  });
});

const udpAndTcp = [
  { name: "tcp", port: 53, protocol: "TCP" },
  { name: "udp", port: 53, protocol: "UDP" },
];
const nodePortsOf = ({ ports }: core.ServiceSpec) => (ports ?? []).map(({ nodePort }) => nodePort);
const refusedPort = (path: string, port: number) =>
  `${path}: Invalid value: ${port}: provided port is already allocated`;

describe("node ports", () => {
  test("ports of one number, which differ in their protocols, share one", async () => {
    const [tcp, udp] = nodePortsOf((await create("v4", { type: "NodePort", ports: udpAndTcp })).spec);
    expect(tcp).toBeGreaterThanOrEqual(30000);
    expect(udp).toBe(tcp);
  });

  test.each([
    [
      [30001, undefined],
      [30001, 30001],
    ],
    [
      [undefined, 30002],
      [30002, 30002],
    ],
    [
      [30003, 30003],
      [30003, 30003],
    ],
    [
      [30004, 30005],
      [30004, 30005],
    ],
  ])("asked for as %j they are %j", async (asked, want) => {
    const ports = udpAndTcp.map((port, i) => (asked[i] === undefined ? port : { ...port, nodePort: asked[i] }));
    const created = await create("v4", { type: "NodePort", ports });
    expect(nodePortsOf(created.spec)).toEqual(want);
    const { spec } = await put("v4", created, { sessionAffinity: "ClientIP" });
    expect(nodePortsOf(spec)).toEqual(want);
  });

  test("a load balancer without node ports gets the ones that it requests, and no other service gets them", async () => {
    const ports = [
      { name: "a", port: 80, nodePort: 30010 },
      { name: "b", port: 81 },
    ];
    const lb = { type: "LoadBalancer", allocateLoadBalancerNodePorts: false, ports };
    expect(nodePortsOf((await create("v4", lb)).spec)).toEqual([30010, undefined]);
    expect(await causesOf(create("v4", lb))).toEqual([refusedPort("spec.ports[0].nodePort", 30010)]);
  });

  test("type changes take ports and release them", async () => {
    const ports = [{ name: "a", port: 80, nodePort: 30020 }];
    const service = await create("v4", { type: "NodePort", ports });
    const plain = await put("v4", service, { type: "ClusterIP" });
    expect(nodePortsOf(plain.spec)).toEqual([undefined]);
    const other = await create("v4", { type: "NodePort", ports });
    const back = await put("v4", plain, { type: "LoadBalancer" });
    expect(nodePortsOf(back.spec)[0]).not.toBe(30020);
    expect(await causesOf(put("v4", back, { ports }))).toEqual([refusedPort("spec.ports[0].nodePort", 30020)]);
    await put("v4", other, { type: "ExternalName", externalName: "a.b" });
    expect(nodePortsOf((await put("v4", back, { ports })).spec)).toEqual([30020]);
  });

  test("the port of health checks is taken, cannot be one of another port, and is released", async () => {
    const local = { type: "LoadBalancer", externalTrafficPolicy: "Local", healthCheckNodePort: 30030 };
    const service = await create("v4", local);
    const clash =
      "spec.healthCheckNodePort: Invalid value: 30030: failed to allocate requested HealthCheck NodePort 30030: provided port is already allocated";
    expect(await causesOf(create("v4", local))).toEqual([clash]);
    expect(
      await causesOf(create("v4", { ...local, ports: [{ port: 80, nodePort: 30031 }], healthCheckNodePort: 30031 })),
    ).toEqual([clash.replaceAll("30030", "30031")]);
    expect(await causesOf(put("v4", service, { healthCheckNodePort: 30032 }))).toEqual([
      "spec.healthCheckNodePort: Forbidden: field is immutable",
    ]);
    const kept = await put("v4", service, { healthCheckNodePort: undefined });
    expect(kept.spec.healthCheckNodePort).toBe(30030);
    const spread = await put("v4", kept, { externalTrafficPolicy: "Cluster" });
    expect(spread.spec.healthCheckNodePort).toBeUndefined();
    expect((await create("v4", local)).spec.healthCheckNodePort).toBe(30030);
    const again = await put("v4", spread, { externalTrafficPolicy: "Local" });
    expect(again.spec.healthCheckNodePort).not.toBe(30030);
    expect(again.spec.healthCheckNodePort).toBeGreaterThanOrEqual(30000);
  });
});

describe("traffic policies and load balancers", () => {
  test.each([
    [{}, { internalTrafficPolicy: "Cluster" }, ["externalTrafficPolicy", "allocateLoadBalancerNodePorts"]],
    [
      { type: "NodePort" },
      { internalTrafficPolicy: "Cluster", externalTrafficPolicy: "Cluster" },
      ["allocateLoadBalancerNodePorts", "healthCheckNodePort"],
    ],
    [
      { type: "LoadBalancer" },
      { internalTrafficPolicy: "Cluster", externalTrafficPolicy: "Cluster", allocateLoadBalancerNodePorts: true },
      ["healthCheckNodePort"],
    ],
    [headless, { internalTrafficPolicy: "Cluster" }, ["externalTrafficPolicy"]],
    [
      { type: "ExternalName", externalName: "a.b" },
      { type: "ExternalName" },
      ["internalTrafficPolicy", "externalTrafficPolicy", "clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"],
    ],
  ])("defaults of %j", async (given, want, absent) => {
    const { spec } = await create("v4", given);
    expect(spec).toMatchObject(want);
    expect(absent.filter((name) => Object.hasOwn(spec, name))).toEqual([]);
  });

  test("what a type has no use for goes with it", async () => {
    const balancer = await create("v4", { type: "LoadBalancer", loadBalancerClass: "a.b/c" });
    const { spec } = await put("v4", balancer, { type: "ClusterIP" });
    const gone = ["externalTrafficPolicy", "allocateLoadBalancerNodePorts", "loadBalancerClass"];
    expect(gone.filter((name) => Object.hasOwn(spec, name))).toEqual([]);
    expect(spec.clusterIP).toBe(balancer.spec.clusterIP);
  });
});
