import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { fakeWorkerServices, killingAfter } from "../testing/pod-workers.ts";
import { testPod, testRuntime, testSandbox } from "../testing/pods.ts";
import type { Refusal } from "../types/pod-failure.ts";
import { sourceAnnotation } from "../types/pod-identity.ts";
import { createPodManager } from "./pod-manager.ts";
import type { PodWorkerServices } from "./pod-worker-services.ts";

let stop = new AbortController();
afterEach(() => {
  stop.abort();
  stop = new AbortController();
});

function manager(changes: Partial<PodWorkerServices> = {}) {
  const services = fakeWorkerServices(stop.signal, changes);
  return { ...services, pods: createPodManager(services) };
}
const admission = (refusal: Refusal | undefined, blocked?: Refusal): PodWorkerServices["admission"] => ({
  admit: async () => refusal,
  grant: () => undefined,
  forget: () => undefined,
  blocked: () => blocked,
});
const refusal = { reason: "NodePorts", message: "Predicate NodePorts failed", dependsOnNode: false };
const staticPod = (uid: string) => testPod({}, { uid, annotations: { [sourceAnnotation]: "file" } });

test("a pod that is not admitted fails with reason and message, and none of its containers starts", async () => {
  const { pods, statusOf, events, done } = manager({ admission: admission(refusal) });
  pods.set(testPod({}));
  await expect.poll(() => statusOf("u1")?.phase).toBe("Failed");
  expect(statusOf("u1")).toMatchObject({
    reason: "NodePorts",
    message: "Pod was rejected: Predicate NodePorts failed",
  });
  // Clients show the reason of the pod only where no container has one of its own.
  expect(statusOf("u1")?.containerStatuses).toBeUndefined();
  expect(events).toEqual(["NodePorts"]);
  expect(done).toEqual([]);
});

test("the status of a rejected pod is unchanged after a restart of the agent", async () => {
  const { pods, statusOf } = manager();
  const status = {
    phase: "Failed",
    reason: "NodePorts",
    message: "m",
    startTime: "2026-01-01T00:00:00Z",
    conditions: [{ type: "PodScheduled", status: "True" }],
    qosClass: "BestEffort",
  } as const;
  pods.set({ ...testPod({}), status });
  await expect.poll(() => statusOf("u1")).toEqual(status);
});

test("a pod that an earlier agent started is not admitted again", async () => {
  const { pods, statusOf, give } = manager({ admission: admission(refusal) });
  const pod = testPod({});
  give(testRuntime([], [testSandbox({ ready: true })]));
  pods.set({ ...pod, status: { ...pod.status, phase: "Running" } });
  await expect.poll(() => statusOf("u1")?.phase).toBe("Running");
});

test("a pod whose security settings cannot be applied waits, and reports the reason", async () => {
  const blocked = { reason: "AppArmor", message: "Cannot enforce AppArmor: no", dependsOnNode: false };
  const { pods, statusOf, done } = manager({ admission: admission(undefined, blocked) });
  pods.set(testPod({}));
  await expect.poll(() => statusOf("u1")?.reason).toBe("AppArmor");
  expect(statusOf("u1")).toMatchObject({
    phase: "Pending",
    message: "Cannot enforce AppArmor: no",
    containerStatuses: [{ state: { waiting: { reason: "Blocked" } } }],
  });
  expect(done).toEqual([]);
});

test("a pod that waits for its security settings terminates when it is deleted", async () => {
  const blocked = { reason: "AppArmor", message: "Cannot enforce AppArmor: no", dependsOnNode: false };
  const { pods, statusOf, done } = manager({ admission: admission(undefined, blocked) });
  pods.set(testPod({}));
  await expect.poll(() => statusOf("u1")?.reason).toBe("AppArmor");
  pods.set(testPod({}, { deletionTimestamp: "2026-01-01T00:00:00Z", deletionGracePeriodSeconds: 30 }));
  await expect.poll(() => done).toContain("delete u1");
  expect(statusOf("u1")?.reason).toBeUndefined();
});

test("an evicted pod shows the condition DisruptionTarget", async () => {
  const { pods, statusOf } = manager();
  pods.set(testPod({}));
  await expect.poll(() => statusOf("u1")?.phase).toBe("Running");
  pods.fail("u1", {
    reason: "Evicted",
    message: "The node was low on resource: memory. ",
    graceSeconds: 0,
    disruption: true,
  });
  await expect.poll(() => statusOf("u1")?.phase).toBe("Failed");
  expect(statusOf("u1")).toMatchObject({ reason: "Evicted", message: "The node was low on resource: memory. " });
  expect(statusOf("u1")?.conditions).toContainEqual({
    type: "DisruptionTarget",
    status: "True",
    reason: "TerminationByOrchlet",
    message: "The node was low on resource: memory. ",
    lastTransitionTime: expect.any(String),
  });
});

test("a changed static pod starts when its predecessor has terminated", async () => {
  const gate = Promise.withResolvers<void>();
  const services = fakeWorkerServices(stop.signal);
  const { pods, done, statusOf } = manager(killingAfter(gate.promise, services));
  pods.set(staticPod("old"));
  await expect.poll(() => statusOf("old")?.phase).toBe("Running");
  pods.remove("old");
  pods.set(staticPod("new"));
  await sleep(50);
  expect(done).toEqual(["sandbox old", "start old/c"]);
  gate.resolve();
  await expect.poll(() => statusOf("new")?.phase).toBe("Running");
  expect(done).toEqual(["sandbox old", "start old/c", "kill old", "clear old", "sandbox new", "start new/c"]);
});

test("a static pod that is added again while it terminates is started afterwards", async () => {
  const gate = Promise.withResolvers<void>();
  const services = fakeWorkerServices(stop.signal);
  const { pods, done, statusOf } = manager({
    ...services,
    async clear(runtime) {
      await gate.promise;
      await services.clear(runtime);
    },
  });
  pods.set(staticPod("a"));
  await expect.poll(() => statusOf("a")?.phase).toBe("Running");
  pods.remove("a");
  await expect.poll(() => done).toContain("kill a");
  pods.set(staticPod("a"));
  gate.resolve();
  await expect.poll(() => done.slice(-3)).toEqual(["clear a", "sandbox a", "start a/c"]);
});

test("a static pod does not wait for a pod of the API server with its name", async () => {
  const { pods, done, statusOf } = manager();
  pods.set(testPod({}, { uid: "api" }));
  await expect.poll(() => statusOf("api")?.phase).toBe("Running");
  pods.set(staticPod("static"));
  await expect.poll(() => statusOf("static")?.phase).toBe("Running");
  expect(done).toEqual(["sandbox api", "start api/c", "sandbox static", "start static/c"]);
});

test("a static pod that terminates, and one that waits for it, are known by their name", async () => {
  const gate = Promise.withResolvers<void>();
  const services = fakeWorkerServices(stop.signal);
  const { pods, statusOf } = manager(killingAfter(gate.promise, services));
  const changes: string[] = [];
  pods.onStaticGone((namespace, name) => void changes.push(`${namespace}/${name}`));
  pods.set(staticPod("old"));
  await expect.poll(() => statusOf("old")?.phase).toBe("Running");
  expect([pods.isEnding("default", "web"), pods.isWaiting("old")]).toEqual([false, false]);
  pods.remove("old");
  pods.set(staticPod("new"));
  expect([pods.isEnding("default", "web"), pods.isWaiting("new"), changes]).toEqual([true, true, []]);
  gate.resolve();
  await expect.poll(() => statusOf("new")?.phase).toBe("Running");
  expect([pods.isEnding("default", "web"), pods.isWaiting("new"), changes]).toEqual([false, false, ["default/web"]]);
});

test("a successor that is removed before its predecessor has terminated never starts", async () => {
  const { pods, done, statusOf } = manager();
  pods.set(staticPod("old"));
  await expect.poll(() => statusOf("old")?.phase).toBe("Running");
  pods.remove("old");
  pods.set(staticPod("new"));
  pods.remove("new");
  await expect.poll(() => done).toContain("clear old");
  await sleep(20);
  expect(done).not.toContain("sandbox new");
});

test("a pod that reappears in its source while it terminates is started afterwards", async () => {
  const gate = Promise.withResolvers<void>();
  const services = fakeWorkerServices(stop.signal);
  const { pods, done, statusOf } = manager(killingAfter(gate.promise, services));
  pods.set(testPod({}));
  await expect.poll(() => statusOf("u1")?.phase).toBe("Running");
  pods.remove("u1");
  pods.set(testPod({}));
  gate.resolve();
  await expect
    .poll(() => done)
    .toEqual(["sandbox u1", "start u1/c", "kill u1", "clear u1", "sandbox u1", "start u1/c"]);
});
