import { alreadyExists, conflict, notFound } from "@orchernetes/apimachinery";
import { FakeClock, silentLogger } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { createLeaderElector, electionErrors, type LeaderElectorOptions } from "./leader-elector.ts";
import type { LockClient } from "./lock-client.ts";
import { leaderAnnotation } from "./locks/annotation-lock.ts";
import { createLock, lockTypes } from "./locks/create-lock.ts";

interface Stored {
  readonly metadata: { name: string; resourceVersion: string; annotations?: Record<string, string> };
  readonly spec?: { holderIdentity: string; leaseTransitions: number; acquireTime: string; renewTime: string };
}

/** An API server in memory, which can go away. */
function memoryServer() {
  const objects = new Map<string, Stored>();
  let version = 0;
  const resource = { group: "", plural: "locks" };
  const server = {
    objects,
    down: false,
    lease: () => objects.get("/apis/coordination.o8s.io/v1/namespaces/orch-system/leases/x")?.spec,
    client: {
      async get(path) {
        if (server.down) throw new Error("connect ECONNREFUSED");
        const object = objects.get(path);
        if (object === undefined) throw notFound(resource, path);
        return structuredClone(object);
      },
      async create(path, body) {
        if (server.down) throw new Error("connect ECONNREFUSED");
        const object = body as Stored;
        const key = `${path}/${object.metadata.name}`;
        if (objects.has(key)) throw alreadyExists(resource, key);
        return store(key, object);
      },
      async update(path, body) {
        if (server.down) throw new Error("connect ECONNREFUSED");
        const object = body as Stored;
        const current = objects.get(path);
        if (current === undefined) throw notFound(resource, path);
        if (current.metadata.resourceVersion !== object.metadata.resourceVersion) throw conflict(resource, path);
        return store(path, object);
      },
    } satisfies LockClient,
  };
  const store = (key: string, object: Stored): Stored => {
    const stored = structuredClone({ ...object, metadata: { ...object.metadata, resourceVersion: String(++version) } });
    objects.set(key, stored);
    return structuredClone(stored);
  };
  return server;
}

function participant(
  identity: string,
  server: ReturnType<typeof memoryServer>,
  clock: FakeClock,
  options: Partial<LeaderElectorOptions> & { readonly type?: string } = {},
) {
  const log: string[] = [];
  const end = new AbortController();
  const elector = createLeaderElector({
    lock: createLock(options.type ?? "leases", server.client, "orch-system", "x"),
    identity,
    clock,
    logger: silentLogger,
    random: () => 0.5,
    events: { event: (_reference, _type, reason, message) => void log.push(`${reason}: ${message}`) },
    callbacks: {
      onStartedLeading: (signal) =>
        new Promise((resolve) => {
          log.push("started");
          signal.addEventListener("abort", () => {
            log.push("aborted");
            resolve();
          });
        }),
      onStoppedLeading: () => void log.push("stopped"),
      onNewLeader: (leader) => void log.push(`leader ${leader}`),
    },
    ...options,
  });
  return { log, elector, end, done: elector.run(end.signal) };
}

test.each(lockTypes)("with %s one leads, the other follows and takes over when the lock is released", async (type) => {
  const clock = new FakeClock();
  const server = memoryServer();
  const a = participant("a", server, clock, { type });
  await clock.advanceAsync(0);
  const b = participant("b", server, clock, { type });
  await clock.advanceAsync(60_000);
  expect([a.elector.isLeader(), b.elector.isLeader(), b.elector.leader()]).toEqual([true, false, "a"]);
  expect(b.log).toEqual(["leader a"]);
  a.end.abort();
  await clock.advanceAsync(10_000);
  expect(await a.done).toBe("cancelled");
  expect(a.log).toEqual([
    "leader a",
    "LeaderElection: a became leader",
    "started",
    "aborted",
    "LeaderElection: a stopped leading",
    "stopped",
  ]);
  expect([a.elector.isLeader(), b.elector.isLeader()]).toEqual([false, true]);
  expect(server.lease()).toMatchObject({ holderIdentity: "b", leaseTransitions: 1 });
  b.end.abort();
  await clock.advanceAsync(0);
  expect(await b.done).toBe("cancelled");
});

test("of two that start at once one leads", async () => {
  const clock = new FakeClock();
  const server = memoryServer();
  const all = ["a", "b", "c"].map((name) => participant(name, server, clock));
  await clock.advanceAsync(30_000);
  expect(all.filter(({ elector }) => elector.isLeader())).toHaveLength(1);
  for (const { end } of all) end.abort();
  await clock.advanceAsync(0);
});

test("a leader that stops without release is replaced after the lease duration, not before", async () => {
  const clock = new FakeClock();
  const server = memoryServer();
  const a = participant("a", server, clock, { releaseOnCancel: false });
  await clock.advanceAsync(0);
  const b = participant("b", server, clock);
  await clock.advanceAsync(0);
  a.end.abort();
  await clock.advanceAsync(14_900);
  expect(b.elector.isLeader()).toBe(false);
  await clock.advanceAsync(5000);
  expect(b.elector.isLeader()).toBe(true);
  b.end.abort();
  await clock.advanceAsync(0);
});

test("a leader that cannot renew stops before others may start", async () => {
  const clock = new FakeClock();
  const server = memoryServer();
  const a = participant("a", server, clock);
  await clock.advanceAsync(3000);
  server.down = true;
  await clock.advanceAsync(8000);
  expect(a.log.at(-1)).toBe("started");
  await clock.advanceAsync(3000);
  expect(await a.done).toBe("lost");
  expect(a.log.slice(-3)).toEqual(["aborted", "LeaderElection: a stopped leading", "stopped"]);
});

test("the leader survives a short outage", async () => {
  const clock = new FakeClock();
  const server = memoryServer();
  const a = participant("a", server, clock);
  await clock.advanceAsync(3000);
  server.down = true;
  await clock.advanceAsync(7000);
  server.down = false;
  await clock.advanceAsync(30_000);
  expect([a.elector.isLeader(), server.lease()?.leaseTransitions]).toEqual([true, 0]);
  a.end.abort();
  await clock.advanceAsync(0);
});

test("a leader whose record was taken over stops at the next renewal", async () => {
  const clock = new FakeClock();
  const server = memoryServer();
  const a = participant("a", server, clock);
  await clock.advanceAsync(0);
  const [key, lease] = [...server.objects][0] ?? ["", undefined];
  if (lease?.spec === undefined) throw new Error("no lease");
  server.objects.set(key, {
    ...lease,
    metadata: { ...lease.metadata, resourceVersion: "99" },
    spec: { ...lease.spec, holderIdentity: "thief" },
  });
  await clock.advanceAsync(2000);
  expect(await a.done).toBe("lost");
  expect(a.log).toContain("leader thief");
});

test("a wrong wall clock has no effect: only elapsed time counts", async () => {
  const clock = new FakeClock("2020-01-01T00:00:00Z");
  const ahead = new FakeClock("2030-01-01T00:00:00Z");
  const server = memoryServer();
  const a = participant("a", server, clock);
  await clock.advanceAsync(0);
  const b = participant("b", server, ahead);
  for (let i = 0; i < 30; i++) {
    await clock.advanceAsync(1000);
    await ahead.advanceAsync(1000);
  }
  expect([a.elector.isLeader(), b.elector.isLeader()]).toEqual([true, false]);
  a.end.abort();
  b.end.abort();
  await clock.advanceAsync(0);
});

test("work that fails ends the election with its reason, and the lock is released", async () => {
  const clock = new FakeClock();
  const server = memoryServer();
  const a = participant("a", server, clock, {
    callbacks: { onStartedLeading: () => Promise.reject(new Error("no informers")) },
  });
  a.done.catch(() => undefined);
  await clock.advanceAsync(2000);
  await expect(a.done).rejects.toThrow("no informers");
  expect(server.lease()?.holderIdentity).toBe("");
});

test("the health check fails while the leader cannot renew", async () => {
  const clock = new FakeClock();
  const server = memoryServer();
  const a = participant("a", server, clock, { renewDeadlineMs: 14_000 });
  await clock.advanceAsync(0);
  expect(a.elector.check(0)).toBeUndefined();
  clock.stall(40_000);
  expect(() => a.elector.check(20_000)).toThrow("failed election to renew leadership on lease orch-system/x");
  a.end.abort();
  await clock.advanceAsync(0);
});

test("an object that others use keeps its other fields", async () => {
  const clock = new FakeClock();
  const server = memoryServer();
  const path = "/api/v1/namespaces/orch-system/configmaps/x";
  const existing = { metadata: { name: "x", resourceVersion: "7", annotations: { note: "mine" } }, data: { k: "v" } };
  server.objects.set(path, existing);
  const a = participant("a", server, clock, { type: "configmapsleases" });
  await clock.advanceAsync(0);
  expect(server.objects.get(path)).toMatchObject({ metadata: { annotations: { note: "mine" } }, data: { k: "v" } });
  expect(JSON.parse(server.objects.get(path)?.metadata.annotations?.[leaderAnnotation] ?? "{}")).toMatchObject({
    holderIdentity: "a",
    leaseDurationSeconds: 15,
  });
  expect(server.lease()).toMatchObject({ holderIdentity: "a" });
  a.end.abort();
  await clock.advanceAsync(0);
});

test.each([
  [15_000, 10_000, 2000, []],
  [10_000, 10_000, 2000, ["the lease duration must be more than the renew deadline"]],
  [15_000, 2400, 2000, ["the renew deadline must be more than 1.2 times the retry period"]],
])("%d, %d, %d", (leaseDurationMs, renewDeadlineMs, retryPeriodMs, want) => {
  expect(electionErrors({ leaseDurationMs, renewDeadlineMs, retryPeriodMs })).toEqual(want);
});

test("a leader that did not renew in time writes nothing any more, even before it notices", async () => {
  const clock = new FakeClock();
  const server = memoryServer();
  const a = participant("a", server, clock);
  expect(() => a.elector.checkWrite()).not.toThrow();
  await clock.advanceAsync(60_000);
  a.elector.checkWrite();
  server.down = true;
  await clock.advanceAsync(7000);
  a.elector.checkWrite();
  // Time passes without a turn of the event loop, as for a process that stands still.
  clock.advance(20_000);
  expect(() => a.elector.checkWrite()).toThrow("lease orch-system/x was not renewed in time");
  await clock.advanceAsync(0);
  expect(await a.done).toBe("lost");
  expect(() => a.elector.checkWrite()).toThrow("not renewed in time");
});

test("after a regular end there is no lease that writes depend on", async () => {
  const clock = new FakeClock();
  const a = participant("a", memoryServer(), clock);
  await clock.advanceAsync(1000);
  a.end.abort();
  await clock.advanceAsync(0);
  expect(await a.done).toBe("cancelled");
  await clock.advanceAsync(60_000);
  expect(() => a.elector.checkWrite()).not.toThrow();
});

test("the lease that is held is stated as it was taken, also after it was lost", async () => {
  const clock = new FakeClock();
  const server = memoryServer();
  const a = participant("a", server, clock, { releaseOnCancel: false });
  const b = participant("b", server, clock);
  await clock.advanceAsync(0);
  const lease = { namespace: "orch-system", name: "x" };
  expect([a.elector.held(), b.elector.held()]).toEqual([{ ...lease, holder: "a", transitions: 0 }, undefined]);
  a.end.abort();
  await clock.advanceAsync(30_000);
  expect(b.elector.held()).toEqual({ ...lease, holder: "b", transitions: 1 });
  expect(a.elector.held()).toEqual({ ...lease, holder: "a", transitions: 0 });
  // Whoever deletes the lease makes its holder start over.
  server.objects.clear();
  await clock.advanceAsync(3000);
  expect(b.elector.held()).toEqual({ ...lease, holder: "b", transitions: 0 });
  b.end.abort();
  await clock.advanceAsync(0);
});
