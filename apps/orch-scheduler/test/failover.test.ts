import { setTimeout as sleep } from "node:timers/promises";
import type { core } from "@orchernetes/api";
import { isNotFound, type Stored } from "@orchernetes/apimachinery";
import { freePort, poll, type RunningDaemon, startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { pageOf, startScheduler, world } from "./fixture.ts";

let server: TestApiServer;
const daemons: RunningDaemon[] = [];

beforeAll(async () => {
  server = await startApiServer({ authorizationMode: "RBAC", flags: ["--disable-admission-plugins=ServiceAccount"] });
}, 60_000);

afterEach(async () => {
  for (const daemon of daemons.splice(0)) await daemon.stop();
});

afterAll(() => server?.stop());

/** Every state of every pod's node, as watchers saw it. */
async function bindingsSeen(namespace: string, signal: AbortSignal): Promise<Map<string, Set<string>>> {
  const seen = new Map<string, Set<string>>();
  const { body } = await server.client().stream({
    method: "GET",
    path: `/api/v1/namespaces/${namespace}/pods`,
    query: { watch: true, resourceVersion: "0" },
    signal,
  });
  let text = "";
  body.on("error", () => undefined);
  body.on("data", (chunk: Buffer) => {
    const lines = (text + chunk.toString()).split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) {
      const { object } = JSON.parse(line) as { object: Stored<core.Pod> };
      const { nodeName } = object.spec ?? {};
      if (nodeName) seen.set(object.metadata.name, (seen.get(object.metadata.name) ?? new Set()).add(nodeName));
    }
  });
  return seen;
}

test("after a scheduler is killed while it works, every pod is bound, and none of them twice", async () => {
  const w = world(server.client(), "killed");
  await w.setUp();
  for (let i = 0; i < 10; i++) await w.addNode(`k${i}`, "40");
  const watching = new AbortController();
  const seen = await bindingsSeen("killed", watching.signal);
  const count = 400;
  for (let i = 0; i < count; i += 20)
    await Promise.all(Array.from({ length: 20 }, (_, j) => w.create(`p${i + j}`, "1")));
  const scheduler = await startScheduler(server, server.dir);
  daemons.push(scheduler);
  for (const enough of [20, 150]) {
    await poll({ what: `${enough} bindings`, intervalMs: 2 }, () => seen.size >= enough);
    await scheduler.kill9();
    expect(seen.size).toBeLessThan(count);
    await scheduler.restart();
  }
  const pods = await w.allBound(count);
  watching.abort();
  expect([...seen.values()].filter((nodes) => nodes.size !== 1)).toEqual([]);
  // 400 pods of one CPU on 400 CPUs: exact only if every restart counted what was bound before.
  const perNode = Map.groupBy(pods, ({ spec }) => spec.nodeName);
  expect([...perNode.values()].map(({ length }) => length)).toEqual(Array(10).fill(40));
}, 90_000);

const flags = [
  "--leader-elect=true",
  "--leader-elect-lease-duration=2s",
  "--leader-elect-renew-deadline=1500ms",
  "--leader-elect-retry-period=300ms",
];

const leasePath = "/apis/coordination.o8s.io/v1/namespaces/orch-system/leases/orch-scheduler";
const holder = () =>
  poll({ what: "a leader", intervalMs: 50 }, async () => {
    const lease = (await server.client().request({ method: "GET", path: leasePath })) as {
      spec: { holderIdentity?: string; leaseTransitions?: number };
    };
    return lease.spec.holderIdentity ? lease.spec : undefined;
  });

test("schedulers serve their health whether they lead or not, and only the leader serves the resources of pods", async () => {
  const w = world(server.client(), "served");
  await w.setUp();
  await w.addNode("s", "2");
  const ports = [await freePort(), await freePort()] as const;
  const [leader, standby] = ports;
  const open = "--authorization-always-allow-paths=/healthz*,/livez,/readyz,/metrics*";
  for (const port of ports) {
    daemons.push(await startScheduler(server, server.dir, [...flags, `--secure-port=${port}`, open]));
    await poll({ what: "the secure port" }, async () => (await pageOf(port, "/healthz")) === "ok");
    await holder();
  }
  for (const port of ports)
    for (const path of ["/healthz/leaderElection", "/livez", "/readyz"])
      expect([path, await pageOf(port, path)]).toEqual([path, "ok"]);
  await w.create("p", "1");
  await w.nodeOf("p");
  const size = async (port: number) =>
    /scheduler_scheduler_cache_size\{type="pods"\} [1-9]\d*\n/.exec(await pageOf(port, "/metrics"))?.[0];
  const known = await poll({ what: "the pods of the leader", intervalMs: 50 }, () => size(leader));
  await poll({ what: "the pods of the standby", intervalMs: 50 }, async () => (await size(standby)) === known);
  const line = 'orch_pod_resource_request{namespace="served",pod="p"';
  expect(await pageOf(leader, "/metrics/resources")).toContain(line);
  expect(await pageOf(standby, "/metrics/resources")).toBe("");
  await w.remove("p");
  await w.deleteNode("s");
}, 60_000);

test("only one of two schedulers works, and when it is killed, the other one takes over", async () => {
  const w = world(server.client(), "election");
  await w.setUp();
  await w.addNode("e", "100");
  const first = await startScheduler(server, server.dir, flags);
  daemons.push(first);
  const { holderIdentity } = await holder();
  const second = await startScheduler(server, server.dir, flags);
  daemons.push(second);
  await w.create("one", "1");
  expect(await w.nodeOf("one")).toBe("e");
  // Longer than a lease: the second must not have taken it.
  await sleep(2500);
  expect((await holder()).holderIdentity).toBe(holderIdentity);
  await first.kill9();
  await w.create("two", "1");
  expect(await w.nodeOf("two")).toBe("e");
  expect((await holder()).holderIdentity).not.toBe(holderIdentity);
  expect(second.running).toBe(true);
}, 60_000);

/** What a deposed scheduler would do with a pod of much higher priority than the one before: bind it, or make room for it. */
const late = [
  ["bound", "1"],
  ["preempting", "100"],
] as const;
test.each(late)(
  "a scheduler that has lost its lease without noticing writes nothing, and exits: %s",
  async (what, cpu) => {
    const w = world(server.client(), `deposed-${what}`);
    await w.setUp();
    const nodeSelector = { "orchernetes.io/hostname": `d-${what}` };
    await w.addNode(`d-${what}`, "100");
    await server
      .client()
      .request({ method: "DELETE", path: leasePath })
      .catch((error: unknown) => {
        // Without the tests before there is none.
        if (!isNotFound(error)) throw error;
      });
    // Until the next renewal it takes itself for the leader, and its own check of the lease passes.
    const rarely = ["--leader-elect=true", "--leader-elect-retry-period=8s"];
    const scheduler = await startScheduler(server, server.dir, rarely);
    daemons.push(scheduler);
    await w.create("before", "1", { nodeSelector });
    expect(await w.nodeOf("before", 60_000)).toBe(`d-${what}`);
    const { leaseTransitions = 0 } = await holder();
    await server.client().request({
      method: "PATCH",
      path: leasePath,
      contentType: "application/merge-patch+json",
      body: { spec: { holderIdentity: "thief", leaseTransitions: leaseTransitions + 1 } },
    });
    await w.create("after", cpu, { nodeSelector, priorityClassName: "system-node-critical" });
    await poll({ what: "the scheduler to end", timeoutMs: 20_000 }, () => !scheduler.running);
    const [before, after] = [await w.pod("before"), await w.pod("after")];
    expect([after.spec.nodeName, after.status.nominatedNodeName, after.status.conditions]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect([before.metadata.deletionTimestamp, before.status.conditions?.map(({ type }) => type)]).toEqual([
      undefined,
      ["PodScheduled"],
    ]);
    expect(scheduler.log(1000)).toContain("is no longer held as the request claims");
  },
  90_000,
);
