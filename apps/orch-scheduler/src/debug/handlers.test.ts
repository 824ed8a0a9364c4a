import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { parseConfig } from "@orchernetes/config";
import { type EventLoop, FakeClock, type HttpHandler, systemEventLoop } from "@orchernetes/kernel";
import { node, pod } from "@orchernetes/testkit";
import { afterEach, expect, test } from "vitest";
import { NominatedPods } from "../cache/nominated-pods.ts";
import { SchedulerCache } from "../cache/scheduler-cache.ts";
import { schedulerConfigurationSchema } from "../config/scheduler-configuration.ts";
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
function scheduler(nodes: number, isSynced = true, loop: EventLoop = systemEventLoop) {
  const waiting = pod("p").requests({ cpu: "9" }).spec({ schedulerName: "default-scheduler" }).build();
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
    view: () => ({ cache, nominated, start: 0, profiles }),
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
    configuration: { profiles: [], percentageOfNodesToScore: 0 },
    objects: () => noObjects,
  });

test("nothing is explained before the cluster is listed", async () => {
  const state = scheduler(1, false);
  const [explain, snapshot] = [await serve(explainHandler(state)), await serve(snapshotOf(state))];
  expect((await explain("?pod=default/p"))[0]).toBe(503);
  expect((await snapshot())[0]).toBe(503);
});

test("/configz shows the configuration as a document that is read to the same settings, without keys", async () => {
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
  const shown = (JSON.parse(body) as Record<string, typeof document>)["orchscheduler.config.o8s.io"];
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

test("many nodes are explained in slices, and two explanations at a time", async () => {
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

test("a snapshot is written in slices, one at a time, and is complete", async () => {
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
