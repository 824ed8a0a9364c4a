import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { parseConfig } from "@orchernetes/config";
import { type EventLoop, FakeClock, type HttpHandler, silentLogger, systemEventLoop } from "@orchernetes/kernel";
import { freePort, node, pod, startWebhookServer } from "@orchernetes/testkit";
import { afterEach, expect, test } from "vitest";
import { NominatedPods } from "../cache/nominated-pods.ts";
import { podInfo } from "../cache/pod-info.ts";
import { SchedulerCache } from "../cache/scheduler-cache.ts";
import { schedulerConfigurationSchema } from "../config/scheduler-configuration.ts";
import type { PodExplanation } from "../explain/explanation.ts";
import { createExtenders } from "../extender/create-extenders.ts";
import { WaitingPods } from "../framework/waiting-pods.ts";
import { SchedulingQueue } from "../queue/scheduling-queue.ts";
import { RandomNumbers } from "../random-numbers.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import { profileOf } from "../testing/profiles.ts";
import { configurationHandler } from "./configuration-handler.ts";
import { explainHandler } from "./explain-handler.ts";
import { snapshotHandler } from "./snapshot-handler.ts";

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** Serves a handler, and asks it. */
async function serve(handler: HttpHandler): Promise<(query?: string) => Promise<readonly [number, string]>> {
  const server = createServer((request, response) => void handler(request, response));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  ends.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  return async (query = "") => {
    const response = await fetch(`http://127.0.0.1:${port}/${query}`, { headers: { connection: "close" } });
    return [response.status, await response.text()];
  };
}

/** A scheduler that knows many nodes and one pod. */
function scheduler(nodes: number, isSynced = true, loop: EventLoop = systemEventLoop, cpu = "9") {
  const waiting = pod("p").requests({ cpu }).spec({ schedulerName: "default-scheduler" }).build();
  const cache = new SchedulerCache();
  for (let i = 0; i < nodes; i++) cache.nodes.setNode(node(`n${i}`).build());
  const clock = new FakeClock();
  const nominated = new NominatedPods();
  const profiles = new Map([["default-scheduler", profileOf()]]);
  return {
    isSynced: () => isSynced,
    pod: (key: string) => (key === "default/p" ? waiting : undefined),
    pods: () => [waiting],
    queue: new SchedulingQueue({ clock }),
    view: () => ({ cache, nominated, start: 0, profiles, waiting: new WaitingPods(clock) }),
    revision: () => 0,
    random: new RandomNumbers(1),
    clock,
    loop,
  };
}

const noObjects = {
  namespaces: [],
  services: [],
  replicationControllers: [],
  replicaSets: [],
  statefulSets: [],
  claims: [],
  volumes: [],
  classes: [],
  csiNodes: [],
  csiDrivers: [],
  capacities: [],
  budgets: [],
};
const snapshotOf = (state: ReturnType<typeof scheduler>): HttpHandler =>
  snapshotHandler({
    ...state,
    configuration: { profiles: [], percentageOfNodesToScore: 0, extenders: [] },
    featureGates: {},
    attempts: { all: [] },
    objects: () => noObjects,
  });

test("nothing is explained before the cluster is listed", async () => {
  const state = scheduler(1, false);
  const [explain, snapshot] = [await serve(explainHandler(state)), await serve(snapshotOf(state))];
  expect((await explain("?pod=default/p"))[0]).toBe(503);
  expect((await snapshot())[0]).toBe(503);
});

test("/configz shows the configuration, without keys, as a document that results in the same settings when it is read", async () => {
  const head = { apiVersion: "orchscheduler.config.o8s.io/v1", kind: "OrchSchedulerConfiguration" };
  const [certData, keyData] = [Buffer.from("cert").toString("base64"), Buffer.from("key").toString("base64")];
  const extender = { urlPrefix: "https://e", filterVerb: "f", httpTimeout: "2s", tlsConfig: { certData, keyData } };
  const document = {
    ...head,
    podMaxBackoffSeconds: 20,
    leaderElection: { leaseDuration: "30s" },
    extenders: [extender],
  };
  const settings = parseConfig(document, schedulerConfigurationSchema, "f");
  const [status, body] = await (await serve(configurationHandler(settings)))();
  expect([status, body.includes(keyData)]).toEqual([200, false]);
  const shown = (JSON.parse(body) as Record<string, typeof document>).componentconfig;
  expect(shown).toMatchObject({ parallelism: 16, leaderElection: { leaseDuration: "30s", renewDeadline: "10s" } });
  const tlsConfig = { ...shown?.extenders[0]?.tlsConfig, keyData };
  const complete = { ...shown, extenders: [{ ...shown?.extenders[0], tlsConfig }] };
  expect(parseConfig(complete, schedulerConfigurationSchema, "g")).toEqual(settings);
});

/** An event loop whose next turn comes when it is released. */
function heldLoop() {
  const released = Promise.withResolvers<void>();
  const loop: EventLoop = {
    nowMs: () => performance.now(),
    defer: (callback) => void released.promise.then(callback),
    nextTurn: () => released.promise,
  };
  return { loop, release: released.resolve };
}

test("many nodes are explained in slices, with at most two explanations at a time", async () => {
  const { loop, release } = heldLoop();
  const explain = await serve(explainHandler(scheduler(5000, true, loop)));
  const first = explain("?pod=default/p");
  const second = explain("?pod=default/p");
  // Whichever comes third does not wait.
  const third = explain("?pod=default/p");
  const refused = await Promise.race([first, second, third]);
  expect(refused[0]).toBe(429);
  release();
  const answers = await Promise.all([first, second, third]);
  expect(answers.map(([status]) => status).sort()).toEqual([200, 200, 429]);
  expect((await explain("?pod=default/p"))[0]).toBe(200);
});

test("a snapshot is complete although it is written in slices; only one snapshot is written at a time", async () => {
  const { loop, release } = heldLoop();
  const snapshot = await serve(snapshotOf(scheduler(20_000, true, loop)));
  const [first, second] = [snapshot(), snapshot()];
  expect((await Promise.race([first, second]))[0]).toBe(429);
  release();
  const answers = await Promise.all([first, second]);
  const complete = answers.find(([status]) => status === 200);
  const { nodes, pending } = JSON.parse(complete?.[1] ?? "") as Snapshot;
  expect([nodes.length, pending.length]).toEqual([20_000, 1]);
});

test("a snapshot has the pods of the queue in their order: those whose attempt failed come after those that wait longer", async () => {
  const state = scheduler(1);
  const pods = ["a", "b"].map((name) => pod(name).spec({ schedulerName: "default-scheduler" }).build());
  for (const one of pods) state.queue.add(podInfo(one));
  const first = state.queue.pop();
  if (first === undefined) throw new Error("no pod is due");
  state.queue.fail(first, []);
  const [, body] = await (await serve(snapshotOf({ ...state, pods: () => pods })))();
  const { queue } = JSON.parse(body) as Snapshot;
  expect(queue.map((one) => one.pod)).toEqual(["default/b", "default/a"]);
});

/** What the handler says with extenders of these settings; each manages all pods and has a second. */
async function explained(extendersMs: number, ...given: object[]): Promise<PodExplanation> {
  const head = { apiVersion: "orchscheduler.config.o8s.io/v1", kind: "OrchSchedulerConfiguration" };
  const extenders = given.map((one) => ({ filterVerb: "filter", nodeCacheCapable: true, httpTimeout: "1s", ...one }));
  const settings = parseConfig({ ...head, extenders }, schedulerConfigurationSchema, "test");
  const stop = new AbortController();
  ends.push(() => stop.abort());
  const state = scheduler(3, true, systemEventLoop, "1");
  const { cache } = state.view();
  const seed = state.random.state;
  const explain = await serve(
    explainHandler({
      ...state,
      extendersMs,
      extenders: {
        extenders: createExtenders(settings.extenders, stop.signal),
        pod: async ({ pod: whole }) => whole,
        node: (name) => cache.nodes.nodeAt(cache.nodes.slotOf(name) ?? -1),
        logger: silentLogger,
      },
    }),
  );
  const [status, body] = await explain("?pod=default/p");
  expect([status, state.random.state]).toEqual([200, seed]);
  return JSON.parse(body) as PodExplanation;
}

async function extenderServer(): Promise<{ server: Awaited<ReturnType<typeof startWebhookServer>>; at: object }> {
  const server = await startWebhookServer({ behaviour: { type: "silent" } });
  ends.push(() => void server.stop());
  const caData = Buffer.from(server.caPem).toString("base64");
  return { server, at: { urlPrefix: `https://user:secret@127.0.0.1:${server.port}/x`, tlsConfig: { caData } } };
}

test("an extender that rejects nodes is named, with its reasons and without its password", async () => {
  const { server, at } = await extenderServer();
  server.behave({
    type: "answer",
    body: () => ({
      NodeNames: [],
      FailedNodes: { n0: "no licence" },
      FailedAndUnresolvableNodes: { n1: "wrong rack" },
    }),
  });
  const other = { urlPrefix: "https://other", managedResources: [{ name: "example.com/gpu" }] };
  const { decision, nodes, extenders, error } = await explained(5000, at, other);
  const address = `https://127.0.0.1:${server.port}/x`;
  expect(error).toBeUndefined();
  expect(decision).toMatchObject({ message: expect.stringContaining("1 no licence, 1 wrong rack") });
  expect(nodes?.groups.map((group) => group.refusals[0])).toEqual([
    { plugin: address, reasons: ["no licence"], evictionHelps: true },
    { plugin: address, reasons: ["wrong rack"], evictionHelps: false },
    { plugin: address, reasons: ["not among the nodes that it returned"], evictionHelps: false },
  ]);
  expect(extenders).toEqual([
    {
      extender: address,
      ignorable: false,
      isInterested: true,
      questions: [{ verb: "filter", asked: 3, result: { type: "accepted", nodes: 0 } }],
    },
    { extender: "https://other", ignorable: false, isInterested: false, questions: [] },
  ]);
});

test.each<[string, "silent" | "hangUp" | "drip" | "enormous" | "nonsense" | "unknown" | "absent", RegExp]>([
  ["is silent", "silent", /no answer within 1s/],
  ["closes the connection", "hangUp", /socket hang up/],
  ["never ends its answer", "drip", /no answer within 1s/],
  ["sends too much", "enormous", /more than \d+ bytes/],
  ["answers nonsense", "nonsense", /the response is not JSON/],
  ["names other nodes", "unknown", /claims a filtered node "x"/],
  ["is absent", "absent", /ECONNREFUSED/],
])("an extender that %s is explained, and skipped if it is ignorable", async (_, how, message) => {
  const { server, at } = await extenderServer();
  if (how === "nonsense") server.behave({ type: "answer", body: () => "<html>" });
  else if (how === "unknown") server.behave({ type: "answer", body: () => ({ NodeNames: ["x"] }) });
  else if (how === "drip") server.behave({ type: "drip", everyMs: 50 });
  else if (how === "enormous") server.behave({ type: "enormous", bytes: 100 * 1024 * 1024 });
  else if (how !== "absent") server.behave({ type: how });
  const where = how === "absent" ? { urlPrefix: `http://127.0.0.1:${await freePort()}` } : at;
  const [failing, ignored] = await Promise.all([
    explained(8000, where),
    explained(8000, { ...where, ignorable: true }),
  ]);
  expect(failing.error).toMatch(message);
  expect(failing.error).not.toContain("secret");
  // What the plugins say is shown all the same.
  expect(failing.nodes).toMatchObject({ total: 3, feasible: 3 });
  const question = { verb: "filter", asked: 3, result: { type: "error", isSkipped: false } };
  expect(failing.extenders).toMatchObject([{ questions: [question] }]);
  expect(ignored).toMatchObject({
    decision: { type: "node", feasible: 3 },
    extenders: [{ ignorable: true, questions: [{ ...question, result: { type: "error", isSkipped: true } }] }],
  });
});

test("an explanation does not wait for extenders beyond its own time limit", async () => {
  const { at } = await extenderServer();
  const slow = { ...at, httpTimeout: "1m", ignorable: true };
  const startedMs = performance.now();
  const { error, nodes } = await explained(300, slow, slow, slow);
  expect(performance.now() - startedMs).toBeLessThan(5000);
  expect([error, nodes?.total]).toEqual(["the extenders did not answer within 300ms", 3]);
});
