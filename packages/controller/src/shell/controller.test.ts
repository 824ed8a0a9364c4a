import { createClient, createEventRecorder, createInformerFactory } from "@orchernetes/client";
import { type FakeApiServer, startFakeApiServer } from "@orchernetes/client/testing";
import { FakeClock, silentLogger } from "@orchernetes/kernel";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { noQueueMetrics } from "../queue/queue-metrics.ts";
import { type ControllerContext, type ControllerShell, runController } from "./controller.ts";
import { inOrder } from "./loop.ts";

const pods = { group: "", version: "v1", plural: "pods", kind: "Pod", scope: "Namespaced" } as const;

let server: FakeApiServer;
let stop: AbortController;
let clock: FakeClock;
let running: Promise<void>;
beforeEach(async () => {
  server = await startFakeApiServer();
  stop = new AbortController();
  clock = new FakeClock();
});
afterEach(async () => {
  stop.abort();
  await running.catch(() => undefined);
  await server.close();
});

function start(build: (shell: ControllerShell) => void): void {
  const { signal } = stop;
  const client = createClient({ server: server.url });
  const informers = createInformerFactory(client);
  const context: ControllerContext = {
    client,
    informers,
    recorder: createEventRecorder(client, { component: "test", signal }),
    queueMetrics: noQueueMetrics,
    logger: silentLogger,
    clock,
    signal,
  };
  running = runController("test", context, build).finally(() => client.close());
  informers.start(signal);
}

test("informers have synced and preparations are done before anything else runs", async () => {
  server.put("/api/v1/pods", { metadata: { name: "a", namespace: "ns" } });
  const did: string[] = [];
  start((shell) => {
    const informer = shell.informer(pods);
    const queue = shell.queue("test");
    queue.add("key");
    const say = (what: string) => void did.push(`${what} ${informer.lister.list().length}`);
    shell.loop({
      queue,
      workers: 1,
      gather: (key) => key,
      reconcile: () => ({ actions: [{ type: "Say" } as const] }),
      carryOut: inOrder<{ readonly type: "Say" }, string>({ Say: () => say("loop") }),
    });
    shell.task(async () => say("task"));
    shell.every(1000, () => say("every"), { atOnce: true });
    shell.before(async () => say("first"));
    shell.before(async () => say("second"));
  });
  await vi.waitFor(() => expect(did).toHaveLength(5));
  expect(did.slice(0, 2)).toEqual(["first 1", "second 1"]);
  expect(did.slice(2).sort()).toEqual(["every 1", "loop 1", "task 1"]);
});

test("periodic work is repeated after its period, and ends with the controller", async () => {
  let looks = 0;
  const ended: string[] = [];
  start((shell) => {
    shell.every(1000, () => void looks++);
    shell.after(async () => void ended.push("after"));
  });
  await vi.waitFor(() => expect(clock.waiting).toBe(1));
  expect(looks).toBe(0);
  clock.advance(1000);
  await vi.waitFor(() => expect([looks, clock.waiting]).toEqual([1, 1]));
  stop.abort();
  await running;
  expect([looks, ended]).toEqual([1, ["after"]]);
});

test("an error in work that may not fail ends the controller", async () => {
  start((shell) => shell.every(1000, () => Promise.reject(new Error("no")), { atOnce: true }));
  await expect(running).rejects.toThrow("no");
});
