import { setTimeout as sleep } from "node:timers/promises";
import { core } from "@orchernetes/api";
import { forbidden, serviceUnavailable } from "@orchernetes/apimachinery";
import type { AdmissionPlugin } from "@orchernetes/apiserver";
import { type Store, StoreError } from "@orchernetes/storage";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { eventRecorder } from "./record-event.ts";
import { AllocatingCluster, type AllocatingServer, causesOf, serviceOf } from "./testing.ts";

let cluster: AllocatingCluster;
beforeEach(async () => {
  cluster = await AllocatingCluster.start();
});
afterEach(() => cluster.stop());

const ref = (name: string) => ({ namespace: "default", name });
const services = (server: AllocatingServer) => server.registry.forDefinition(core.services);
const create = (server: AllocatingServer, name: string, spec: object, dryRun = false) =>
  services(server).create(serviceOf(name, spec), { admission: true, dryRun });
const use = ({ allocator }: AllocatingServer) => ({
  addresses: allocator.ranges.map((range) => allocator.addressesIn(range).taken),
  ports: allocator.portsIn().taken,
});
const nodePort = { type: "NodePort" };

/** The store with another way to commit. */
const withCommit = (store: Store, commit: Store["commit"]): Store =>
  new Proxy(store, {
    get(target, name) {
      const value: unknown = name === "commit" ? commit : Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });

describe("two servers on one store", () => {
  test("never give out an address or a port twice", async () => {
    const options = { ranges: ["10.0.0.0/25"], ports: { from: 30000, to: 30119 } };
    const servers = [await cluster.addServer(options), await cluster.addServer(options)];
    const created = await Promise.all(
      Array.from({ length: 100 }, (_, i) => create(servers[i % 2] as AllocatingServer, `s${i}`, nodePort)),
    );
    expect(new Set(created.map(({ spec }) => spec.clusterIP)).size).toBe(100);
    expect(new Set(created.map(({ spec }) => spec.ports?.[0]?.nodePort)).size).toBe(100);
  });

  test("of two that ask for the same address and port at the same time one gets them", async () => {
    const servers = [await cluster.addServer(), await cluster.addServer()];
    for (let round = 0; round < 10; round++) {
      const chosen = { ...nodePort, clusterIP: `10.0.0.${2 + round}`, ports: [{ port: 80, nodePort: 30050 + round }] };
      const written = servers.map((server, i) => causesOf(create(server, `s${round}-${i}`, chosen)));
      const refused = (await Promise.all(written)).filter((causes) => causes.length > 0);
      expect(refused).toHaveLength(1);
      expect(refused[0]?.[0]).toContain("provided IP is already allocated");
    }
  });

  test("one gets both even if the other one is faster with the port", async () => {
    const portWritten = Promise.withResolvers<void>();
    const addressWritten = Promise.withResolvers<void>();
    const delayed =
      (range: string, until: Promise<void>, done: { readonly range: string; readonly resolve: () => void }) =>
      (store: Store): Store =>
        withCommit(store, async (...[compare, ops]) => {
          const writes = (name: string) => ops.some(({ key }) => key.endsWith(`/${name}`));
          if (writes(range)) await Promise.race([until, sleep(300)]);
          const result = await store.commit(compare, ops);
          if (writes(done.range)) done.resolve();
          return result;
        });
    const servers = [
      await cluster.addServer({
        allocationStoreFor: delayed("servicenodeports", portWritten.promise, {
          range: "serviceips",
          ...addressWritten,
        }),
      }),
      await cluster.addServer({
        allocationStoreFor: delayed("serviceips", addressWritten.promise, {
          range: "servicenodeports",
          ...portWritten,
        }),
      }),
    ];
    const chosen = { ...nodePort, clusterIP: "10.0.0.10", ports: [{ port: 80, nodePort: 30050 }] };
    const causes = await Promise.all(servers.map((server, i) => causesOf(create(server, `s${i}`, chosen))));
    expect(causes.filter((found) => found.length === 0)).toHaveLength(1);
  });

  test("what one releases the other can have at once", async () => {
    const [a, b] = [await cluster.addServer(), await cluster.addServer()];
    const chosen = { ...nodePort, clusterIP: "10.0.0.10", ports: [{ port: 80, nodePort: 30050 }] };
    await create(a, "first", chosen);
    expect(await causesOf(create(b, "second", chosen))).toEqual([
      'spec.clusterIPs: Invalid value: []string{"10.0.0.10"}: failed to allocate IP 10.0.0.10: provided IP is already allocated',
    ]);
    await services(b).delete(ref("first"));
    expect((await create(a, "second", chosen)).spec.clusterIP).toBe("10.0.0.10");
  });
});

const refuses = (operation: "CREATE" | "UPDATE"): AdmissionPlugin => ({
  name: "Refuses",
  handles: (asked) => asked === operation,
  validate({ name }) {
    if (name.startsWith("refused")) throw forbidden({ group: "", plural: "services" }, name, "exceeded quota");
  },
});

test("fifty writers who create and delete services of one address on two servers: one at a time has it, and it is free in the end", async () => {
  const servers = [await cluster.addServer(), await cluster.addServer()] as const;
  const chosen = { ...nodePort, clusterIP: "10.0.0.10", ports: [{ port: 80, nodePort: 30050 }] };
  let holders = 0;
  let turns = 0;
  const writer = async (i: number) => {
    const [mine, other] = i % 2 === 0 ? servers : [servers[1], servers[0]];
    for (let round = 0; round < 4; round++) {
      const name = `s${i}-${round}`;
      const refused = await causesOf(create(mine, name, chosen));
      if (refused.length > 0) {
        expect(refused[0]).toContain("provided IP is already allocated");
        continue;
      }
      holders++;
      turns++;
      expect((await services(other).get(ref(name))).spec.clusterIP).toBe("10.0.0.10");
      expect(holders).toBe(1);
      holders--;
      await services(other).delete(ref(name));
    }
  };
  await Promise.all(Array.from({ length: 50 }, (_, i) => writer(i)));
  expect(turns).toBeGreaterThan(1);
  expect(await causesOf(create(servers[0], "last", chosen))).toEqual([]);
  expect(use(servers[0])).toEqual({ addresses: [1], ports: 1 });
  for (const { repairs, registry, problems } of servers) {
    await repairs.runOnce(registry);
    expect(problems).toEqual([]);
  }
}, 60_000);

describe("many node ports at once", () => {
  const many = (count: number, nodePort: (i: number) => number | undefined = () => undefined) => ({
    type: "NodePort",
    ports: Array.from({ length: count }, (_, i) => ({ name: `p${i}`, port: i + 1, nodePort: nodePort(i) })),
  });

  test("cost one commit, taken and given back", async () => {
    const server = await cluster.addServer();
    const before = await cluster.store.revision();
    const { spec } = await create(server, "s", many(1000));
    expect(new Set(spec.ports?.map(({ nodePort }) => nodePort)).size).toBe(1000);
    // The address, the ports, the service.
    expect(await cluster.store.revision()).toBe(before + 3);
    await services(server).delete(ref("s"));
    expect(use(server)).toEqual({ addresses: [0], ports: 0 });
  });

  test("are taken all or none", async () => {
    const server = await cluster.addServer({ ports: { from: 30000, to: 30009 } });
    await expect(create(server, "too-many", many(11))).rejects.toThrow("failed to allocate a nodePort: range is full");
    await create(
      server,
      "other",
      many(1, () => 30003),
    );
    expect(
      await causesOf(
        create(
          server,
          "s",
          many(3, (i) => [undefined, 30001, 30003][i]),
        ),
      ),
    ).toEqual(["spec.ports[2].nodePort: Invalid value: 30003: provided port is already allocated"]);
    expect(use(server)).toEqual({ addresses: [1], ports: 1 });
  });

  test("those that are named are not given to others of the service, nor is that of its health checks", async () => {
    const server = await cluster.addServer({ ports: { from: 30000, to: 30003 } });
    for (let round = 0; round < 10; round++) {
      const spec = { ...many(3, (i) => (i === 2 ? 30001 : undefined)), type: "LoadBalancer" };
      const local = { ...spec, externalTrafficPolicy: "Local", healthCheckNodePort: 30002 };
      const created = await create(server, `s${round}`, local);
      expect(created.spec.ports?.map(({ nodePort }) => nodePort).sort()).toEqual([30000, 30001, 30003]);
      await services(server).delete(ref(`s${round}`));
    }
  });
});

describe("a rejected service gives back what it was given at once", () => {
  const chosen = { ...nodePort, clusterIP: "10.0.0.10", ports: [{ name: "p", port: 80, nodePort: 30050 }] };
  const none = { addresses: [0], ports: 0 };

  test.each<readonly [string, string, object]>([
    ["by validation", "s", { ...chosen, sessionAffinity: "Odd" }],
    ["by admission", "refused", chosen],
    ["for its name", "Not_A_Name", chosen],
    ["for a port in use after the address was given out", "s", { ...chosen, ports: [{ port: 80, nodePort: 1 }] }],
  ])("%s", async (_, name, spec) => {
    const server = await cluster.addServer({ admission: [refuses("CREATE")] });
    expect(await causesOf(create(server, name, spec))).not.toEqual([]);
    expect(use(server)).toEqual(none);
    await create(server, "next", chosen);
  });

  test("because it exists", async () => {
    const server = await cluster.addServer();
    await create(server, "s", {});
    expect(await causesOf(create(server, "s", chosen))).toEqual(['services "s" already exists']);
    expect(use(server)).toEqual({ addresses: [1], ports: 0 });
  });

  test("as a dry run, which says what it would get", async () => {
    const server = await cluster.addServer();
    const { spec } = await create(server, "s", nodePort, true);
    expect(spec.clusterIP).toMatch(/^10\.0\.0\./);
    expect(spec.ports?.[0]?.nodePort).toBeGreaterThanOrEqual(30000);
    expect(use(server)).toEqual(none);
    await create(server, "taken", chosen);
    expect(await causesOf(create(server, "s", chosen, true))).toHaveLength(1);
  });

  test("when it is changed: it keeps what it had", async () => {
    const server = await cluster.addServer({ admission: [refuses("UPDATE")] });
    await create(server, "refused", {});
    const update = services(server).update(
      ref("refused"),
      (draft) => {
        draft.spec.type = "NodePort";
      },
      { admission: true },
    );
    expect(await causesOf(update)).toHaveLength(1);
    expect(use(server)).toEqual({ addresses: [1], ports: 0 });
  });

  /** A server whose commits of services end in `fail` while that is set. */
  async function serverThat(fail: (commit: () => Promise<unknown>) => Promise<never>) {
    const world = { failing: false };
    const storeFor = (store: Store): Store =>
      withCommit(store, (...args) => {
        const commit = () => store.commit(...args);
        return world.failing ? fail(commit) : commit();
      });
    return { world, server: await cluster.addServer({ storeFor }) };
  }

  test.each(["TooLarge", "NoSpace"] as const)("because the store refuses it: %s", async (reason) => {
    const { world, server } = await serverThat(async () => {
      throw new StoreError(reason, "the store says no");
    });
    await create(server, "stored", {});
    world.failing = true;
    await expect(create(server, "s", chosen)).rejects.toThrow("the store says no");
    const change = services(server).update(ref("stored"), (draft) => {
      draft.spec.type = "NodePort";
    });
    await expect(change).rejects.toThrow("the store says no");
    expect(use(server)).toEqual({ addresses: [1], ports: 0 });
  });

  test("but nothing is released while it is unknown whether the object was stored", async () => {
    const { world, server } = await serverThat(async (commit) => {
      await commit();
      throw serviceUnavailable("the connection was lost");
    });
    world.failing = true;
    expect(await causesOf(create(server, "s", chosen))).toHaveLength(1);
    world.failing = false;
    expect((await services(server).get(ref("s"))).spec.clusterIP).toBe("10.0.0.10");
    expect(use(server)).toEqual({ addresses: [1], ports: 1 });
  });
});

test("families and addresses that are wrong in many places end the look at them early", async () => {
  const server = await cluster.addServer();
  const ipFamilies = Array.from({ length: 200_000 }, () => "IPv5");
  const clusterIPs = Array.from({ length: 200_000 }, () => "10.0.0.300");
  for (const spec of [{ ipFamilies }, { clusterIP: "10.0.0.300", clusterIPs }]) {
    const causes = await causesOf(create(server, "s", spec));
    expect(causes.length).toBeGreaterThan(50);
    expect(causes.length).toBeLessThan(200);
  }
});

test("an object that finalizers held gives its address back when the last of them goes", async () => {
  const server = await cluster.addServer();
  const held = serviceOf("held", nodePort);
  await services(server).create({ ...held, metadata: { ...held.metadata, finalizers: ["example.com/hold"] } });
  await services(server).delete(ref("held"));
  expect(use(server)).toEqual({ addresses: [1], ports: 1 });
  await services(server).update(ref("held"), (draft) => {
    draft.metadata.finalizers = [];
  });
  expect(use(server)).toEqual({ addresses: [0], ports: 0 });
});

test("services wait for the first repair pass, which adopts what is stored", async () => {
  const first = await cluster.addServer();
  await create(first, "s", { ...nodePort, clusterIP: "10.0.0.10" });
  await cluster.store.commit([], [{ type: "delete", key: "/registry/ranges/serviceips" }]);
  const second = await cluster.addServer();
  expect(second.events).toEqual([]);
  expect(use(second)).toEqual({ addresses: [1], ports: 1 });
  expect(await causesOf(create(second, "t", { clusterIP: "10.0.0.10" }))).toHaveLength(1);
});

describe("the repair loop", () => {
  /** Writes a service past the allocators. */
  const put = (name: string, spec: object) => {
    const service = serviceOf(name, spec);
    const object = { kind: "Service", apiVersion: "v1", ...service };
    const value = Buffer.from(JSON.stringify({ ...object, metadata: { ...object.metadata, uid: `uid-${name}` } }));
    return cluster.store.commit([], [{ type: "put", key: `/registry/services/specs/default/${name}`, value }]);
  };
  const at = (ip: string, port: number) => ({
    type: "NodePort",
    clusterIP: ip,
    clusterIPs: [ip],
    ports: [{ port: 80, protocol: "TCP", nodePort: port }],
  });

  test("reports what services share or have out of range, once an hour, and allocates what is not allocated", async () => {
    const server = await cluster.addServer();
    await put("a", at("10.0.0.10", 30050));
    await put("b", at("10.0.0.10", 30050));
    await put("c", at("192.168.0.1", 1));
    await server.repairs.runOnce(server.registry);
    await server.repairs.runOnce(server.registry);
    expect(server.events.map(({ service, reason }) => `${service.metadata.name} ${reason}`)).toEqual([
      "a ClusterIPNotAllocated",
      "b ClusterIPAlreadyAllocated",
      "c ClusterIPOutOfRange",
      "a PortNotAllocated",
      "b PortAlreadyAllocated",
      "c PortOutOfRange",
    ]);
    const again = ["clusterip duplicate", "clusterip outOfRange", "nodeport duplicate", "nodeport outOfRange"];
    expect(server.problems).toEqual([
      "clusterip repair",
      ...again.slice(0, 2),
      "nodeport repair",
      ...again.slice(2),
      ...again,
    ]);
    expect(await causesOf(create(server, "d", { clusterIP: "10.0.0.10" }))).toHaveLength(1);
  });

  test("repairs what it can though its reports cannot be stored, and reports again", async () => {
    const failures: string[] = [];
    const server = await cluster.addServer({
      async recordEvent(_, { reason }) {
        failures.push(reason);
        throw serviceUnavailable("no events today");
      },
    });
    await put("a", at("10.0.0.10", 30050));
    await server.repairs.runOnce(server.registry);
    expect(failures).toEqual(["ClusterIPNotAllocated", "PortNotAllocated"]);
    expect(use(server)).toEqual({ addresses: [1], ports: 1 });
    await put("b", at("10.0.0.10", 30051));
    for (let pass = 0; pass < 2; pass++) await server.repairs.runOnce(server.registry);
    expect(failures.slice(2)).toEqual(["ClusterIPAlreadyAllocated", "PortNotAllocated", "ClusterIPAlreadyAllocated"]);
  });

  test("frees what no service has, after three passes", async () => {
    const server = await cluster.addServer();
    await server.allocator.takePorts([30050], false);
    for (let pass = 1; pass <= 3; pass++) {
      await server.repairs.runOnce(server.registry);
      expect(server.allocator.portsIn().taken).toBe(1);
    }
    await server.repairs.runOnce(server.registry);
    expect(server.allocator.portsIn().taken).toBe(0);
    expect(server.problems).toEqual(["nodeport leak"]);
  });

  test("writes nothing when all is well", async () => {
    const server = await cluster.addServer();
    await create(server, "s", nodePort);
    const before = await cluster.store.revision();
    await server.repairs.runOnce(server.registry);
    expect(await cluster.store.revision()).toBe(before);
  });

  test("stores its reports as events of the service", async () => {
    const recordEvent = eventRecorder({ instance: "host", now: () => new Date("2026-01-02T03:04:05.678Z") });
    const server = await cluster.addServer({ recordEvent });
    await put("a", at("10.0.0.10", 30050));
    await server.repairs.runOnce(server.registry);
    const { items } = await server.registry.forDefinition(core.events).list({ namespace: "default" });
    expect(items.map(({ reason }) => reason).sort()).toEqual(["ClusterIPNotAllocated", "PortNotAllocated"]);
    expect(items.find(({ reason }) => reason === "ClusterIPNotAllocated")).toMatchObject({
      type: "Warning",
      action: "ClusterIPAllocation",
      message: "Cluster IP [IPv4]:10.0.0.10 is not allocated; repairing",
      involvedObject: { kind: "Service", name: "a", namespace: "default", uid: "uid-a" },
      reportingComponent: "ipallocator-repair-controller",
      eventTime: "2026-01-02T03:04:05.678000Z",
    });
  });
});
