import type { core } from "@orchernetes/api";
import { type FakeApiServer, type FakeObject, startFakeApiServer } from "@orchernetes/client/testing";
import { node, service } from "@orchernetes/testkit";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { cloudNodeController } from "../src/controllers/node/controller.ts";
import { cloudNodeLifecycleController } from "../src/controllers/node-lifecycle/controller.ts";
import { routeController } from "../src/controllers/route/controller.ts";
import { serviceController } from "../src/controllers/service/controller.ts";
import { FakeCloud } from "../src/testing/fake-cloud.ts";
import { type RunningCloudController, startCloudController } from "../src/testing/start-cloud-controller.ts";

const NODES = "/api/v1/nodes";
const SERVICES = "/api/v1/services";
const UNINITIALIZED = "node.cloudprovider.orchernetes.io/uninitialized";
const SHUTDOWN = "node.cloudprovider.orchernetes.io/shutdown";

let server: FakeApiServer;
let cloud: FakeCloud;
let running: RunningCloudController | undefined;
beforeEach(async () => {
  server = await startFakeApiServer();
  cloud = new FakeCloud();
});
afterEach(async () => {
  await running?.stop();
  running = undefined;
  await server.close();
});

const put = (collection: string, object: unknown) => server.put(collection, object as FakeObject);
const nodes = () => server.objects(NODES) as unknown as core.Node[];
const eventually = (check: () => void) => vi.waitFor(check, { timeout: 5000, interval: 20 });
const reasons = () =>
  server
    .objects("/api/v1/events")
    .map((event) => `${(event as unknown as core.Event).type} ${(event as unknown as core.Event).reason}`);

describe("cloud-node", () => {
  const settings = { workers: 2, updateMs: 50, clusterName: "c", dualStack: false };
  const fresh = node("a").taint(UNINITIALIZED, "NoSchedule", "true").build();

  test("a node with the taint gets what the cloud knows, and loses it; addresses follow the cloud", async () => {
    cloud.addMachine("a", { instanceType: "big", zone: "z", addresses: [{ type: "InternalIP", address: "10.0.0.1" }] });
    put(NODES, fresh);
    running = startCloudController(server, cloudNodeController, cloud, settings);
    await eventually(() =>
      expect(nodes()[0]?.status?.addresses).toEqual([{ type: "InternalIP", address: "10.0.0.1" }]),
    );
    expect(nodes()[0]?.spec).toEqual({ providerID: "fake://a" });
    expect(nodes()[0]?.metadata.labels).toMatchObject({ "topology.orchernetes.io/zone": "z" });
    await eventually(() => expect(reasons()).toEqual(["Normal Synced"]));
    cloud.addMachine("a", { addresses: [{ type: "InternalIP", address: "10.0.0.2" }] });
    await eventually(() => expect(nodes()[0]?.status?.addresses?.[0]?.address).toBe("10.0.0.2"));
  });

  test("a node keeps the taint while the cloud fails, lies or has no answer, and loses it when the cloud is well again", async () => {
    cloud.addMachine("a");
    const bad = [
      { type: "fail", code: "Unavailable", message: "down" },
      { type: "lie", answer: { ok: true, value: "nonsense" } },
      { type: "throw", error: new Error("bug") },
    ] as const;
    let calls = 0;
    cloud.misbehave = () => bad[calls++];
    put(NODES, fresh);
    running = startCloudController(server, cloudNodeController, cloud, settings);
    await eventually(() => expect(nodes()[0]?.spec?.taints).toBeUndefined());
    expect(calls).toBeGreaterThan(3);
  });

  test("a node whose provided address the cloud does not know stays uninitialized", async () => {
    cloud.addMachine("a", { addresses: [{ type: "InternalIP", address: "10.0.0.1" }] });
    const annotation = { "alpha.orchernetes.io/provided-node-ip": "10.9.9.9" };
    put(NODES, { ...fresh, metadata: { ...fresh.metadata, annotations: annotation } });
    running = startCloudController(server, cloudNodeController, cloud, settings);
    await eventually(() => expect(cloud.calls.length).toBeGreaterThan(2));
    expect(nodes()[0]?.spec?.taints).toHaveLength(1);
  });

  test("without instances it does not run", async () => {
    put(NODES, fresh);
    running = startCloudController(server, cloudNodeController, { name: "empty" }, settings);
    await running.stop();
    expect(server.requests).toEqual([]);
    running = undefined;
  });
});

describe("cloud-node-lifecycle", () => {
  const settings = { monitorPeriodMs: 30, clusterName: "c" };
  const unready = (name: string) => node(name).ready("Unknown").build();

  test("nodes without a machine are deleted, those that are shut down tainted until they are ready", async () => {
    cloud.addMachine("off", { isShutDown: true }).addMachine("on");
    for (const object of [node("ready").build(), unready("gone"), unready("off"), unready("on")]) put(NODES, object);
    running = startCloudController(server, cloudNodeLifecycleController, cloud, settings);
    await eventually(() => expect(nodes().map(({ metadata }) => metadata.name)).toEqual(["off", "on", "ready"]));
    await eventually(() => expect(nodes()[0]?.spec?.taints).toEqual([{ key: SHUTDOWN, effect: "NoSchedule" }]));
    await eventually(() => expect(reasons()).toEqual(["Normal DeletingNode"]));
    const [off] = nodes();
    put(NODES, { ...off, status: node("off").build().status });
    await eventually(() => expect(nodes()[0]?.spec?.taints ?? []).toEqual([]));
  });

  test("nothing is deleted while the cloud fails or lies", async () => {
    put(NODES, unready("a"));
    const bad = [
      { type: "fail", code: "Unavailable", message: "down" },
      { type: "lie", answer: undefined },
      { type: "lie", answer: { ok: true, value: 0 } },
    ] as const;
    cloud.misbehave = () => bad[cloud.calls.length % bad.length];
    running = startCloudController(server, cloudNodeLifecycleController, cloud, settings);
    await eventually(() => expect(cloud.calls.length).toBeGreaterThan(6));
    expect(nodes()).toHaveLength(1);
  });
});

describe("route", () => {
  const settings = {
    disabled: undefined,
    clusterCidrs: [{ address: [10, 244, 0, 0], bits: 16 }],
    periodMs: 30,
    clusterName: "c",
  };
  const condition = () => nodes()[0]?.status?.conditions?.find(({ type }) => type === "NetworkUnavailable");
  const a = node("a")
    .spec({ podCIDRs: ["10.244.0.0/24"] })
    .build();

  test("a node gets a route and the condition, and the route goes with the node", async () => {
    put(NODES, a);
    running = startCloudController(server, routeController(false), cloud, settings);
    await eventually(() => expect(condition()).toMatchObject({ status: "False", reason: "RouteCreated" }));
    expect([...cloud.cloudRoutes.values()]).toMatchObject([{ targetNode: "a", destinationCIDR: "10.244.0.0/24" }]);
    server.remove(NODES, "a");
    await eventually(() => expect(cloud.cloudRoutes.size).toBe(0));
  });

  test("a route that cannot be created is an event, and the network is unavailable until it can", async () => {
    let bad = true;
    cloud.misbehave = (operation) =>
      bad && operation === "routes.create" ? { type: "fail", code: "Internal", message: "quota" } : undefined;
    put(NODES, a);
    running = startCloudController(server, routeController(false), cloud, settings);
    await eventually(() => expect(condition()).toMatchObject({ status: "True", reason: "NoRouteCreated" }));
    await eventually(() => expect(reasons()).toContain("Warning FailedToCreateRoute"));
    bad = false;
    await eventually(() => expect(condition()).toMatchObject({ status: "False" }));
  });

  test("no route is deleted if the list of routes is nonsense", async () => {
    cloud.cloudRoutes.set("r", {
      name: "r",
      targetNode: "gone",
      targetNodeAddresses: [],
      enableNodeAddresses: false,
      destinationCIDR: "10.244.9.0/24",
      blackhole: false,
    });
    cloud.misbehave = (operation) =>
      operation === "routes.list" ? { type: "lie", answer: { ok: true, value: [{}] } } : undefined;
    running = startCloudController(server, routeController(false), cloud, settings);
    await eventually(() => expect(cloud.calls.length).toBeGreaterThan(3));
    expect(cloud.cloudRoutes.size).toBe(1);
  });
});

describe("service", () => {
  const settings = { workers: 2, clusterName: "c", stableNodes: true };
  const web = service("web").uid("0000-1").spec({ type: "LoadBalancer" }).port(80).build();
  const stored = () => (server.objects(SERVICES) as unknown as core.Service[])[0];
  const a = node("a").spec({ providerID: "x://a" }).build();

  test("a load balancer is made and its address shown; it follows the nodes", async () => {
    put(NODES, a);
    put(SERVICES, web);
    running = startCloudController(server, serviceController, cloud, settings);
    await eventually(() => expect(stored()?.status?.loadBalancer).toEqual({ ingress: [{ ip: "192.0.2.10" }] }));
    expect(stored()?.metadata.finalizers).toEqual(["service.orchernetes.io/load-balancer-cleanup"]);
    expect([...cloud.balancers]).toEqual([["a00001", ["a"]]]);
    put(NODES, node("b").spec({ providerID: "x://b" }).build());
    await eventually(() => expect([...cloud.balancers.values()]).toEqual([["a", "b"]]));
    await eventually(() =>
      expect(reasons()).toEqual(
        expect.arrayContaining([
          "Normal EnsuringLoadBalancer",
          "Normal EnsuredLoadBalancer",
          "Normal UpdatedLoadBalancer",
        ]),
      ),
    );
    expect(running.metrics.render()).toContain("service_controller_loadbalancer_sync_total 1");
  });

  test("a service with a class is left alone; one without nodes gets a warning", async () => {
    put(SERVICES, service("other").spec({ type: "LoadBalancer", loadBalancerClass: "example.com/x" }).build());
    put(SERVICES, web);
    running = startCloudController(server, serviceController, cloud, settings);
    await eventually(() => expect(reasons()).toContain("Warning UnAvailableLoadBalancer"));
    expect(cloud.calls.filter((call) => call.includes("other"))).toEqual([]);
  });

  test("an error is an event, and what another controller implements is none", async () => {
    cloud.misbehave = (operation) =>
      operation === "loadBalancers.ensure" ? { type: "fail", code: "Internal", message: "quota" } : undefined;
    put(SERVICES, web);
    running = startCloudController(server, serviceController, cloud, settings);
    await eventually(() => expect(reasons()).toContain("Warning SyncLoadBalancerFailed"));
    cloud.misbehave = () => ({ type: "fail", code: "ImplementedElsewhere", message: "" });
    put(SERVICES, service("elsewhere").spec({ type: "LoadBalancer" }).build());
    await eventually(() => expect(cloud.calls).toContain("loadBalancers.ensure default/elsewhere"));
    expect(reasons().filter((reason) => reason === "Warning SyncLoadBalancerFailed")).toHaveLength(1);
  });

  test("a service that was deleted by force loses its load balancer", async () => {
    put(NODES, a);
    put(SERVICES, web);
    running = startCloudController(server, serviceController, cloud, settings);
    await eventually(() => expect(cloud.balancers.size).toBe(1));
    server.remove(SERVICES, "default/web");
    await eventually(() => expect(cloud.balancers.size).toBe(0));
  });
});
