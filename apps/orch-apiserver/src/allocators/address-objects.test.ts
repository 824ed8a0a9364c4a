import { core } from "@orchernetes/api";
import { type IPAddress, ipAddresses } from "@orchernetes/api/networking/v1alpha1";
import { systemClock } from "@orchernetes/kernel";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  AllocatingCluster,
  type AllocatingServer,
  type AllocatingServerOptions,
  causesOf,
  serviceOf,
} from "./testing.ts";

let cluster: AllocatingCluster;
let end: AbortController;
/** How much later the servers think it is. */
let laterMs = 0;
const clock = { ...systemClock, now: () => new Date(Date.now() + laterMs) };

beforeEach(async () => {
  cluster = await AllocatingCluster.start();
  end = new AbortController();
  laterMs = 0;
});
afterEach(async () => {
  end.abort();
  await cluster.stop();
});

const start = (options: AllocatingServerOptions = {}) => cluster.addServer({ addressObjects: true, clock, ...options });
const services = ({ registry }: AllocatingServer) => registry.forDefinition(core.services);
const objects = ({ registry }: AllocatingServer) => registry.forDefinition(ipAddresses);
const create = (server: AllocatingServer, name: string, spec: object = {}) =>
  services(server).create(serviceOf(name, spec));
const addresses = async (server: AllocatingServer) =>
  (await objects(server).list()).items.map(({ metadata, spec }) => `${metadata.name} ${spec.parentRef?.name}`).sort();
const labels = (family: string) => ({
  "ipaddress.orchernetes.io/ip-family": family,
  "ipaddress.orchernetes.io/managed-by": "ipallocator.o8s.io",
});
const addressOf = (name: string, parentRef: object, more: object = labels("IPv4")) =>
  ({ metadata: { name, labels: more }, spec: { parentRef: { resource: "services", ...parentRef } } }) as IPAddress;

test("a service's addresses are objects that name it, and go with it", async () => {
  const server = await start({ ranges: ["10.0.0.0/24", "fd00::/64"] });
  const { spec, metadata } = await create(server, "web", { ipFamilyPolicy: "RequireDualStack" });
  const [first = "", second = ""] = spec.clusterIPs ?? [];
  for (const [address, family] of [
    [first, "IPv4"],
    [second, "IPv6"],
  ] as const) {
    const found = await objects(server).get({ namespace: "", name: address });
    expect(found.metadata.labels).toEqual(labels(family));
    const { uid } = metadata;
    expect(found.spec.parentRef).toEqual({ resource: "services", namespace: "default", name: "web", uid });
  }
  await services(server).delete({ namespace: "default", name: "web" });
  expect(await addresses(server)).toEqual([]);
});

test("a generated name is known before the address is allocated", async () => {
  const server = await start();
  const service = serviceOf("", {});
  const { metadata } = await services(server).create({
    ...service,
    metadata: { namespace: "default", generateName: "gen-" },
  });
  expect(await addresses(server)).toEqual([expect.stringMatching(` ${metadata.name}$`)]);
});

test("an address is given once, by whichever server, and what is refused is released", async () => {
  const [one, two] = [await start({ ranges: ["10.0.0.0/29"] }), await start({ ranges: ["10.0.0.0/29"] })];
  const made = await Promise.all(
    [one, two, one, two, one, two].map((server, i) => create(server, `s${i}`).then(({ spec }) => spec.clusterIP)),
  );
  expect(new Set(made).size).toBe(6);
  expect(await causesOf(create(two, "seventh"))).toEqual([expect.stringContaining("range 10.0.0.0/29 is full")]);
  expect(await causesOf(create(one, "chosen", { clusterIP: made[0] }))).toEqual([
    expect.stringContaining(`failed to allocate IP ${made[0]}: provided IP is already allocated`),
  ]);
  expect(await causesOf(create(one, "outside", { clusterIP: "10.0.1.1" }))).toEqual([
    expect.stringContaining("The range of valid IPs is 10.0.0.0/29"),
  ]);
  await services(one).delete({ namespace: "default", name: "s0" });
  // The other server learns of it a moment later. The name is taken: the address that was allocated for it is free again.
  const again = () => causesOf(create(two, "s1"));
  await vi.waitFor(async () => expect(await again()).toEqual([expect.stringContaining("already exists")]), 5000);
  expect((await create(two, "last")).spec.clusterIP).toBe(made[0]);
});

test("a dry run allocates nothing", async () => {
  const server = await start();
  await services(server).create(serviceOf("dry", { clusterIP: "10.0.0.9" }), { dryRun: true });
  await services(server).create(serviceOf("dry", {}), { dryRun: true });
  expect(await addresses(server)).toEqual([]);
});

test("free addresses are counted, also of ranges that no bitmap could have", async () => {
  const server = await start({ ranges: ["10.0.0.0/24", "fd00::/64"] });
  const [small, large] = server.allocator.ranges;
  if (small === undefined || large === undefined) throw new TypeError("there are two ranges");
  const far = "fd00::ffff:ffff:ffff:ffff";
  await create(server, "far", { clusterIP: far, ipFamilies: ["IPv6"] });
  expect(server.allocator.addressesIn(small)).toEqual({ taken: 0, free: 254 });
  expect(server.allocator.addressesIn(large)).toEqual({ taken: 1, free: 2 ** 64 - 2 });
});

test("services that had addresses before get objects; each problem is an event once", async () => {
  const before = await cluster.addServer({ ranges: ["10.0.0.0/24"] });
  await create(before, "old", { clusterIP: "10.0.0.7" });
  const server = await start();
  expect(await addresses(server)).toEqual(["10.0.0.7 old"]);
  expect(server.events.map(({ reason, message }) => [reason, message])).toEqual([
    ["ClusterIPNotAllocated", "Cluster IP [IPv4]:10.0.0.7 is not allocated; repairing"],
  ]);
  await server.addressRepair?.runOnce(server.registry);
  expect(server.events).toHaveLength(1);
  expect(server.problems).toEqual(["clusterip repair"]);
});

test("services outside the range, of a lost family, or with the address of another one are told", async () => {
  const wide = await cluster.addServer({ ranges: ["10.0.0.0/16", "fd00::/112"] });
  await create(wide, "outside", { clusterIP: "10.0.9.9" });
  await create(wide, "lost", { clusterIP: "fd00::9", ipFamilies: ["IPv6"] });
  await create(wide, "first", { clusterIP: "10.0.0.7" });
  await create(wide, "second", { clusterIP: "10.0.0.8" });
  await services(wide).update(
    { namespace: "default", name: "second" },
    ({ spec }) => {
      spec.clusterIP = "10.0.0.7";
      spec.clusterIPs = ["10.0.0.7"];
    },
    { bare: true },
  );
  const server = await start();
  const told = server.events.map(({ service, reason }) => `${service.metadata.name} ${reason}`).sort();
  expect(told).toEqual([
    "first ClusterIPNotAllocated",
    "lost ClusterIPNotValid",
    "outside ClusterIPOutOfRange",
    "second ClusterIPAlreadyAllocated",
  ]);
  expect(await addresses(server)).toEqual(["10.0.0.7 first"]);
});

test("a deleted or changed object of a service is replaced at once", async () => {
  const server = await start();
  void server.addressRepair?.run(server.registry, end.signal);
  await create(server, "web", { clusterIP: "10.0.0.7" });
  const ref = { namespace: "", name: "10.0.0.7" };
  await objects(server).delete(ref);
  await vi.waitFor(async () => expect(await addresses(server)).toEqual(["10.0.0.7 web"]), 5000);
  await objects(server).update(ref, ({ metadata }) => {
    metadata.labels = {};
  });
  await vi.waitFor(async () => expect((await objects(server).get(ref)).metadata.labels).toEqual(labels("IPv4")), 5000);
  await objects(server).delete(ref);
  await objects(server).create(addressOf("10.0.0.7", { namespace: "default", name: "nobody" }));
  await server.addressRepair?.runOnce(server.registry);
  expect(await addresses(server)).toEqual(["10.0.0.7 web"]);
});

test("objects without a service are removed when they are not new any more; those of others are left alone", async () => {
  const server = await start();
  await objects(server).create(addressOf("10.0.0.7", { namespace: "default", name: "nobody" }));
  await objects(server).create(addressOf("10.0.0.8", { namespace: "default", name: "nobody" }, { mine: "yes" }));
  await objects(server).create(
    addressOf("10.0.0.9", { group: "gateway.example.com", resource: "gateways", name: "g" }),
  );
  const pass = () => server.addressRepair?.runOnce(server.registry);
  await vi.waitFor(async () => {
    await pass();
    expect(await addresses(server)).toEqual(["10.0.0.7 nobody", "10.0.0.8 nobody"]);
  }, 5000);
  laterMs = 61_000;
  await pass();
  expect(await addresses(server)).toEqual(["10.0.0.8 nobody"]);
  expect(server.problems).toEqual(["clusterip leak", "clusterip leak"]);
  // What others have taken is not given to services.
  expect(await causesOf(create(server, "s", { clusterIP: "10.0.0.8" }))).toHaveLength(1);
});
