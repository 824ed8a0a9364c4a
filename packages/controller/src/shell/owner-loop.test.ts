import { type ApiObject, labelSelectorAsSelector, type Stored } from "@orchernetes/apimachinery";
import { createClient, createEventRecorder, createInformerFactory, type ResourceRef } from "@orchernetes/client";
import { type FakeApiServer, startFakeApiServer } from "@orchernetes/client/testing";
import { silentLogger, systemClock } from "@orchernetes/kernel";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ownerIndexers } from "../ownership/owner-index.ts";
import { noQueueMetrics } from "../queue/queue-metrics.ts";
import { runController } from "./controller.ts";
import { follow, followDependents } from "./follow.ts";
import { inOrder } from "./loop.ts";
import type { OwnerLoop } from "./owner-loop.ts";

type Set = ApiObject & { readonly spec?: { readonly app: string }; readonly status?: { readonly count: number } };
type Action = { readonly type: "Do" } | { readonly type: "Tidy" };
interface State {
  readonly names: readonly string[];
  readonly settled: boolean;
}

const ref = <T extends ApiObject>(plural: string, kind: string): ResourceRef<T> => {
  return { group: "", version: "v1", plural, kind, scope: "Namespaced" };
};
const setsRef = ref<Set>("sets", "Set");
const podsRef = ref<ApiObject>("pods", "Pod");
const setsPath = "/api/v1/sets";
const podsPath = "/api/v1/pods";

let server: FakeApiServer;
let stop: AbortController;
let running: Promise<void>;
let did: string[];
beforeEach(async () => {
  server = await startFakeApiServer();
  stop = new AbortController();
  did = [];
});
afterEach(async () => {
  stop.abort();
  await running;
  await server.close();
});

function start(changes: Partial<OwnerLoop<Set, { pods: ApiObject }, State, Action, Set["status"]>> = {}): void {
  const { signal } = stop;
  const client = createClient({ server: server.url });
  const informers = createInformerFactory(client);
  const recorder = createEventRecorder(client, { component: "test", signal });
  const context = {
    client,
    informers,
    recorder,
    queueMetrics: noQueueMetrics,
    logger: silentLogger,
    clock: systemClock,
    signal,
  };
  running = runController("test", context, (shell) => {
    const queue = shell.queue("test");
    const sets = shell.informer(setsRef);
    const pods = shell.informer(podsRef, ownerIndexers);
    const selectorOf = ({ spec }: Stored<Set>) => labelSelectorAsSelector({ matchLabels: { app: spec?.app ?? "" } });
    follow(sets, queue);
    followDependents({
      owners: sets,
      dependents: pods,
      selectorOf,
      enqueue: ({ metadata }) => queue.add(`ns/${metadata.name}`),
    });
    shell.ownerLoop<Set, { pods: ApiObject }, State, Action, Set["status"]>({
      queue,
      workers: 1,
      owners: sets,
      selectorOf,
      dependents: { pods: { informer: pods } },
      gather: ({ owned, settled }) => ({ names: owned.pods.map(({ metadata }) => metadata.name).sort(), settled }),
      reconcile: ({ names }) => {
        did.push(`decide ${names.join()}`);
        return { actions: [{ type: "Do" }] };
      },
      carryOut: inOrder<Action, State>({ Do: () => void did.push("do"), Tidy: () => void did.push("tidy") }),
      ...changes,
    });
  }).finally(() => client.close());
  informers.start(signal);
}

const putSet = (status?: object) =>
  server.put(setsPath, { metadata: { name: "a", namespace: "ns" }, spec: { app: "x" }, ...(status && { status }) });
const putPod = (name: string, app: string, owner?: string) =>
  server.put(podsPath, {
    metadata: {
      name,
      namespace: "ns",
      labels: { app },
      ...(owner && { ownerReferences: [{ apiVersion: "v1", kind: "Set", name: "a", uid: owner, controller: true }] }),
    },
  });
const statusOf = () => (server.objects(setsPath)[0] as { status?: unknown } | undefined)?.status;

test("orphans that match are adopted, and dependents that do not match are released, before the loop decides", async () => {
  const { metadata } = putSet();
  putPod("mine", "x", metadata.uid);
  putPod("orphan", "x");
  putPod("stray", "y", metadata.uid);
  putPod("foreign", "y");
  start();
  await vi.waitFor(() => expect(did.length).toBeGreaterThan(1), { timeout: 4000 });
  expect(did.slice(0, 2)).toEqual(["decide mine,orphan", "do"]);
  const ownersOf = (name: string) =>
    server.objects(podsPath).find((object) => object.metadata.name === name)?.metadata.ownerReferences;
  expect(ownersOf("orphan")).toMatchObject([{ kind: "Set", name: "a", controller: true }]);
});

test("the status is written after the plan, and the final actions follow it", async () => {
  putSet({ count: 0 });
  start({ status: () => ({ count: 1 }), afterwards: () => [{ type: "Tidy" }] });
  await vi.waitFor(() => expect(did.slice(0, 3)).toEqual(["decide ", "do", "tidy"]), { timeout: 4000 });
  expect(statusOf()).toEqual({ count: 1 });
});

test("the status is written after a plan that failed, too; the plan is then retried", async () => {
  putSet({ count: 0 });
  const failures: unknown[] = [];
  start({
    carryOut: async () => {
      did.push("do");
      if (did.filter((what) => what === "do").length === 1) throw new Error("no");
    },
    status(_, failure) {
      failures.push(failure);
      return { count: failure === undefined ? 2 : 1 };
    },
    afterwards: () => [{ type: "Tidy" }],
  });
  await vi.waitFor(() => expect(statusOf()).toEqual({ count: 2 }), { timeout: 4000 });
  expect(failures[0]).toMatchObject({ message: "no" });
});

test("invalid owners are left unchanged, with a warning", async () => {
  putSet();
  start({ refuse: () => ({ warning: { reason: "Bad", message: "it is bad" } }) });
  await vi.waitFor(() => expect(server.objects("/api/v1/events")).toMatchObject([{ type: "Warning", reason: "Bad" }]), {
    timeout: 4000,
  });
  expect(did).toEqual([]);
});
