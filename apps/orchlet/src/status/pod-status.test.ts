import type { core } from "@orchernetes/api";
import { expect, test } from "vitest";
import { testContainer, testPod, testRuntime } from "../testing/pods.ts";
import type { PodFailure } from "../types/pod-failure.ts";
import type { WaitingReason } from "./container-status.ts";
import { podStatusOf } from "./pod-status.ts";

const ended = (exitCode: number) => ({ phase: "exited", exitCode, finishedAtMs: 5000 }) as const;

interface Case {
  readonly spec?: object;
  readonly containers?: readonly object[];
  readonly waiting?: Readonly<Record<string, WaitingReason>>;
  readonly ready?: boolean;
  readonly over?: boolean;
  readonly failure?: PodFailure;
  readonly shown?: core.PodStatus;
}

function status({ spec = {}, containers = [], waiting = {}, ready = true, over = false, failure, shown = {} }: Case) {
  const pod = testPod(spec);
  return podStatusOf({
    pod,
    runtime: testRuntime(containers.map((changes) => testContainer(pod, changes))),
    shown,
    waiting: new Map(Object.entries(waiting)),
    probes: () => ({ started: true, ready }),
    failure,
    over,
    hostIPs: ["1.2.3.4"],
    startTime: "2023-06-01T00:00:00Z",
    now: new Date("2023-06-01T00:01:00Z"),
  });
}

test("the termination messages of all containers together are truncated to 12 KiB, each at a whole character", () => {
  const names = ["a", "b", "c", "d", "e"];
  const message = "ä".repeat(2000);
  const { containerStatuses = [] } = status({
    spec: { restartPolicy: "Never", containers: names.map((name) => ({ name, image: "i" })) },
    containers: names.map((name) => ({ name, id: name, message, ...ended(1) })),
  });
  const lengths = containerStatuses.map(({ state }) => Buffer.byteLength(state?.terminated?.message ?? ""));
  expect(lengths).toEqual(names.map(() => 2456));
  expect(containerStatuses[0]?.state?.terminated?.message).toMatch(/^ä+$/);
});

const init = { initContainers: [{ name: "i1", image: "i" }] };
const crash = { reason: "CrashLoopBackOff", message: "m" };

test.each<[string, Case, string, string, string]>([
  ["nothing yet", {}, "Pending", "waiting ContainerCreating", "False"],
  ["nothing yet, with init containers", { spec: init }, "Pending", "waiting PodInitializing", "False"],
  ["running", { containers: [{}] }, "Running", "running", "True"],
  ["not ready", { containers: [{}], ready: false }, "Running", "running", "False"],
  [
    "crashed and waiting",
    { containers: [ended(1)], waiting: { c: crash } },
    "Running",
    "waiting CrashLoopBackOff",
    "False",
  ],
  ["no image", { waiting: { c: { reason: "ErrImagePull" } } }, "Pending", "waiting ErrImagePull", "False"],
  ["done", { spec: { restartPolicy: "Never" }, containers: [ended(0)] }, "Succeeded", "terminated Completed", "False"],
  ["failed", { spec: { restartPolicy: "Never" }, containers: [ended(2)] }, "Failed", "terminated Error", "False"],
  ["ended by deletion", { containers: [ended(137)], over: true }, "Failed", "terminated Error", "False"],
  ["a phase that is final stays", { containers: [{}], shown: { phase: "Failed" } }, "Failed", "running", "False"],
])("%s", (_, input, phase, state, ready) => {
  const result = status(input);
  const shown = result.containerStatuses?.[0]?.state;
  const [kind, detail] = Object.entries(shown ?? {})[0] ?? [];
  const reason = (detail as { reason?: string } | undefined)?.reason;
  expect([
    result.phase,
    [kind, reason].filter(Boolean).join(" "),
    result.conditions?.find(({ type }) => type === "Ready")?.status,
  ]).toEqual([phase, state, ready]);
});

test("the transition time changes only with the status", () => {
  const before = status({ containers: [{}] });
  const later = status({
    containers: [{}],
    shown: {
      ...before,
      conditions: before.conditions?.map((c) => ({ ...c, lastTransitionTime: "2023-01-01T00:00:00Z" })),
    },
  });
  expect(later.conditions?.map(({ lastTransitionTime }) => lastTransitionTime)).toEqual(
    Array(4).fill("2023-01-01T00:00:00Z"),
  );
  const unready = status({ containers: [{}], ready: false, shown: later });
  expect(unready.conditions?.find(({ type }) => type === "Ready")).toEqual({
    type: "Ready",
    status: "False",
    reason: "ContainersNotReady",
    message: "containers with unready status: [c]",
    lastTransitionTime: "2023-06-01T00:01:00Z",
  });
});

test("a pod with a missing readiness gate is not ready", () => {
  const { conditions } = status({ spec: { readinessGates: [{ conditionType: "x/y" }] }, containers: [{}] });
  expect(conditions?.find(({ type }) => type === "Ready")).toMatchObject({
    status: "False",
    reason: "ReadinessGatesNotReady",
  });
});

test("a pod that its node terminates has failed once none of its containers runs", () => {
  const failure = { reason: "Evicted", message: "The node was low on resource: memory. ", disruption: true };
  const before = status({ containers: [{}], failure });
  expect([before.phase, before.reason, before.message]).toEqual(["Running", undefined, undefined]);
  expect(before.conditions?.map(({ type }) => type)).not.toContain("DisruptionTarget");
  const after = status({ containers: [ended(137)], failure, shown: before });
  expect(after).toMatchObject({ phase: "Failed", reason: failure.reason, message: failure.message });
  expect(after.conditions).toContainEqual(expect.objectContaining({ type: "DisruptionTarget", status: "True" }));
});

test.each([{}, init])("a pod that has succeeded is initialized because it is completed: %j", (more) => {
  const containers = [{ ...ended(0) }, { id: "i1", name: "i1", ...ended(0) }];
  const { conditions = [] } = status({ spec: { restartPolicy: "Never", ...more }, containers });
  expect(conditions.find(({ type }) => type === "Initialized")).toMatchObject({
    status: "True",
    reason: "PodCompleted",
  });
});

const ranBefore: core.PodStatus = {
  phase: "Running",
  containerStatuses: [
    ...[{ name: "c", image: "i", imageID: "", ready: true, restartCount: 2, lastState: {}, state: { running: {} } }],
  ],
};
const unknown = { exitCode: 137, reason: "ContainerStatusUnknown" };

test.each([
  ["Always", "Running"],
  ["OnFailure", "Running"],
  ["Never", "Failed"],
])("a container that ran and is lost counts as terminated: with policy %s the pod is %s", (restartPolicy, phase) => {
  const once = status({ spec: { restartPolicy }, shown: ranBefore });
  const want = { phase, containerStatuses: [{ restartCount: 3, lastState: { terminated: unknown } }] };
  expect(once).toMatchObject(want);
  expect(once.containerStatuses?.[0]?.state?.waiting).toBeDefined();
  // The next look at it is no other loss.
  expect(status({ spec: { restartPolicy }, shown: once })).toMatchObject(want);
});

test("a container that terminated and was removed keeps its complete status", () => {
  const terminated = { exitCode: 3, reason: "Error", containerID: "containerd://x" };
  const ended = { name: "c", image: "i@sha256:1", imageID: "sha256:2", containerID: "containerd://x", restartCount: 1 };
  const shown = { ...ended, ready: false, started: false, lastState: {}, state: { terminated } };
  expect(status({ shown: { phase: "Running", containerStatuses: [shown] }, over: true }).containerStatuses).toEqual([
    shown,
  ]);
});

test("a container that is lost while its pod terminates has terminated", () => {
  expect(status({ shown: ranBefore, over: true })).toMatchObject({
    phase: "Failed",
    containerStatuses: [{ restartCount: 2, state: { terminated: unknown } }],
  });
});

test("statuses are in the order of names, those of init containers in the order in which they run", () => {
  const named = (...names: string[]) => names.map((name) => ({ name, image: "i" }));
  const shown = status({
    spec: {
      initContainers: named("z", "b"),
      containers: named("y", "a", "m"),
      ephemeralContainers: named("x", "d"),
    },
    ready: false,
  });
  const names = (list: readonly core.ContainerStatus[] = []) => list.map(({ name }) => name).join();
  expect(names(shown.initContainerStatuses)).toBe("z,b");
  expect(names(shown.containerStatuses)).toBe("a,m,y");
  expect(names(shown.ephemeralContainerStatuses)).toBe("d,x");
  expect(shown.ephemeralContainerStatuses?.[0]?.state).toEqual({ waiting: { reason: "PodInitializing" } });
  expect(shown.conditions?.find(({ type }) => type === "Ready")?.message).toBe(
    "containers with unready status: [y a m]",
  );
});
