import type { core, discovery } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { type FakeApiServer, type FakeObject, startFakeApiServer } from "@orchernetes/client/testing";
import { systemClock } from "@orchernetes/kernel";
import { node, service } from "@orchernetes/testkit";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { serviceController } from "../../controllers/service/controller.ts";
import { type RunningCloudController, startCloudController } from "../../testing/start-cloud-controller.ts";
import { LocalBalancers } from "./local-balancers.ts";
import { localProvider } from "./local-provider.ts";
import { servingAddresses, servingNodes, takenPort } from "./serving-addresses.ts";

type Slice = Stored<discovery.EndpointSlice>;

const internal = (address: string): core.NodeAddress => ({ type: "InternalIP", address });
const at = (name: string, ...addresses: readonly core.NodeAddress[]) =>
  node(name)
    .spec({ providerID: `local://${name}` })
    .status({ addresses })
    .build();
const slice = (service: string, ...endpoints: readonly discovery.Endpoint[]): Slice => ({
  metadata: {
    name: `${service}-1`,
    namespace: "default",
    uid: `${service}-1`,
    resourceVersion: "1",
    creationTimestamp: "2024-01-01T00:00:00Z",
    labels: { "orchernetes.io/service-name": service },
  },
  addressType: "IPv4",
  endpoints,
});
const endpoint = (nodeName: string, conditions: discovery.EndpointConditions = {}): discovery.Endpoint => ({
  addresses: ["10.244.0.1"],
  nodeName,
  conditions,
});
const web = service("web")
  .uid("u1")
  .spec({ type: "LoadBalancer", ipFamilies: ["IPv4"] })
  .port(80);
const [a, b] = [
  at("a", internal("10.0.0.1")),
  at("b", internal("10.0.0.2"), { type: "ExternalIP", address: "192.0.2.2" }),
];

describe("addresses", () => {
  test("are those of the nodes, external ones before internal ones, of the service's families", () => {
    expect(servingAddresses(web.build(), [b, a], new Set())).toEqual(["10.0.0.1", "192.0.2.2"]);
    const both = at("c", internal("10.0.0.3"), internal("fd00::3"));
    expect(servingAddresses(web.build(), [both], new Set())).toEqual(["10.0.0.3"]);
    expect(servingAddresses(web.spec({ ipFamilies: ["IPv4", "IPv6"] }).build(), [both], new Set())).toEqual([
      "10.0.0.3",
      "fd00::3",
    ]);
  });

  test("are none that lead a client to its own host or network, unless all nodes are on one machine", () => {
    const [here, alsoHere] = [at("c", internal("127.0.0.1")), at("d", internal("127.0.0.2"))];
    const odd = at("e", { type: "ExternalIP", address: "169.254.1.1" });
    expect(servingAddresses(web.build(), [a, here, odd], new Set())).toEqual(["10.0.0.1"]);
    expect(servingAddresses(web.build(), [here, alsoHere], new Set())).toEqual(["127.0.0.1", "127.0.0.2"]);
  });

  test("are those of nodes with endpoints if traffic must not leave the node", () => {
    const local = web.spec({ externalTrafficPolicy: "Local" }).build();
    expect(servingAddresses(local, [a, b], new Set(["b"]))).toEqual(["192.0.2.2"]);
    expect(servingAddresses(local, [a, b], new Set())).toEqual([]);
  });

  test("nodes with endpoints are those with ready ones, else those that serve while they end", () => {
    expect(servingNodes([slice("web", endpoint("a"), endpoint("b", { ready: false, serving: true }))])).toEqual(
      new Set(["a"]),
    );
    expect(servingNodes([slice("web", endpoint("b", { ready: false, serving: true }))])).toEqual(new Set(["b"]));
    expect(servingNodes([slice("web", endpoint("b", { ready: false }))])).toEqual(new Set());
  });
});

describe("a port", () => {
  const [first, second] = [web.build(), service("other").uid("u2").spec({ type: "LoadBalancer" }).port(80).build()];
  const addresses = ["10.0.0.1"];
  const having = (of: typeof first) => ({ service: of, addresses });

  test("belongs to the service that has it; of two that have it, to the older one", () => {
    expect(takenPort(having(second), [having(first)])).toEqual({ port: "80/TCP", by: "default/web" });
    expect(takenPort(having(first), [having(first), having(second)])).toBeUndefined();
    expect(takenPort(having(second), [having(first), having(second)])).toEqual({ port: "80/TCP", by: "default/web" });
  });

  test("may be used by two services at different addresses, or with different numbers", () => {
    expect(takenPort(having(second), [{ service: first, addresses: ["10.0.0.9"] }])).toBeUndefined();
    const other = service("other").uid("u3").spec({ type: "LoadBalancer" }).port(81).build();
    expect(takenPort(having(other), [having(first)])).toBeUndefined();
  });
});

test("a wanted address must be one of a node", async () => {
  const balancers = new LocalBalancers();
  expect(await balancers.ensure(web.spec({ loadBalancerIP: "192.0.2.2" }).build(), [a, b])).toEqual({
    ok: true,
    value: { ingress: [{ ip: "192.0.2.2" }] },
  });
  expect(await balancers.ensure(web.spec({ loadBalancerIP: "192.0.2.9" }).build(), [a, b])).toMatchObject({
    ok: false,
    error: { code: "InvalidArgument" },
  });
});

test.each([22, 6443, 10_250, 30_080])("port %i of nodes is no service's", async (port) => {
  const built = service("thief").uid("u9").spec({ type: "LoadBalancer" }).port(80).port(port).build();
  expect(await new LocalBalancers().ensure(built, [a, b])).toEqual({
    ok: false,
    error: {
      code: "InvalidArgument",
      message: `port ${port}/TCP of the nodes' addresses is reserved`,
      withdrawsStatus: true,
    },
  });
});

test("a node whose agent has a port of the service does not serve", async () => {
  const agent = { ...b, status: { ...b.status, daemonEndpoints: { orchletEndpoint: { Port: 80 } } } };
  const balancers = new LocalBalancers();
  expect(await balancers.ensure(web.build(), [a, agent])).toEqual({
    ok: true,
    value: { ingress: [{ ip: "10.0.0.1" }] },
  });
  expect(await balancers.ensure(web.build(), [agent])).toMatchObject({ ok: false, error: { withdrawsStatus: true } });
});

test("it has no settings", async () => {
  expect(await localProvider.configErrors?.(undefined)).toEqual([]);
  expect(await localProvider.configErrors?.("a: b")).toHaveLength(1);
});

describe("with the service controller", () => {
  let server: FakeApiServer;
  let running: RunningCloudController;
  beforeEach(async () => {
    server = await startFakeApiServer();
    const options = { config: undefined, clock: systemClock } as never;
    const cloud = await localProvider.create(options);
    for (const object of [a, b]) server.put("/api/v1/nodes", object as unknown as FakeObject);
    running = startCloudController(server, serviceController, cloud, {
      workers: 2,
      clusterName: "c",
      stableNodes: true,
    });
  });
  afterEach(async () => {
    await running.stop();
    await server.close();
  });
  const ingressOf = (name: string) =>
    (server.objects("/api/v1/services") as unknown as core.Service[])
      .find(({ metadata }) => metadata.name === name)
      ?.status?.loadBalancer?.ingress?.map(({ ip }) => ip) ?? [];
  const put = (collection: string, object: unknown) => server.put(collection, object as FakeObject);
  const eventually = (check: () => void) => vi.waitFor(check, { timeout: 5000, interval: 20 });
  const slices = "/apis/discovery.o8s.io/v1/endpointslices";

  test("a service has the addresses of the nodes there are", async () => {
    put("/api/v1/services", web.build());
    await eventually(() => expect(ingressOf("web")).toEqual(["10.0.0.1", "192.0.2.2"]));
    put("/api/v1/nodes", at("c", internal("10.0.0.3")));
    await eventually(() => expect(ingressOf("web")).toEqual(["10.0.0.1", "192.0.2.2", "10.0.0.3"]));
    server.remove("/api/v1/nodes", "a");
    await eventually(() => expect(ingressOf("web")).toEqual(["192.0.2.2", "10.0.0.3"]));
  });

  test("one whose traffic must not leave the node follows its endpoints", async () => {
    put("/api/v1/services", web.spec({ externalTrafficPolicy: "Local" }).build());
    put(slices, slice("web", endpoint("a")));
    await eventually(() => expect(ingressOf("web")).toEqual(["10.0.0.1"]));
    put(slices, slice("web", endpoint("b")));
    await eventually(() => expect(ingressOf("web")).toEqual(["192.0.2.2"]));
  });

  test("a service loses its addresses when it asks for a reserved port, and an event says why", async () => {
    put("/api/v1/services", web.build());
    await eventually(() => expect(ingressOf("web")).toHaveLength(2));
    const shown = server.objects("/api/v1/services")[0] as unknown as core.Service;
    put("/api/v1/services", { ...shown, spec: { ...shown.spec, ports: [{ port: 10_250, protocol: "TCP" }] } });
    await eventually(() => {
      expect(ingressOf("web")).toEqual([]);
      const events = server.objects("/api/v1/events") as unknown as core.Event[];
      expect(events.find(({ reason }) => reason === "SyncLoadBalancerFailed")?.message).toContain(
        "port 10250/TCP of the nodes' addresses is reserved",
      );
    });
  });

  test("a second service with the same port gets no address, and an event says why", async () => {
    put("/api/v1/services", web.build());
    await eventually(() => expect(ingressOf("web")).toHaveLength(2));
    put(
      "/api/v1/services",
      service("other")
        .uid("u2")
        .spec({ type: "LoadBalancer", ipFamilies: ["IPv4"] })
        .port(80)
        .build(),
    );
    await eventually(() => {
      const events = server.objects("/api/v1/events") as unknown as core.Event[];
      expect(events.find(({ reason }) => reason === "SyncLoadBalancerFailed")?.message).toContain(
        "port 80/TCP of the nodes' addresses is taken by service default/web",
      );
    });
    expect(ingressOf("other")).toEqual([]);
  });
});
