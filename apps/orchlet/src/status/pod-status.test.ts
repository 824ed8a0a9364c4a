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
  readonly deleted?: boolean;
  readonly failure?: PodFailure;
  readonly shown?: core.PodStatus;
}

function status({
  spec = {},
  containers = [],
  waiting = {},
  ready = true,
  over = false,
  deleted,
  failure,
  shown = {},
}: Case) {
  const pod = testPod(spec, deleted ? { deletionTimestamp: "2023-06-01T00:00:30Z" } : {});
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

const debugged = { restartPolicy: "Never", ephemeralContainers: [{ name: "dbg", image: "i" }] };

test.each<[string, Case, string]>([
  ["one that has succeeded", { containers: [ended(0)] }, "Succeeded"],
  ["one that has failed", { containers: [ended(1)] }, "Failed"],
  ["one that could not be initialized", { spec: init, containers: [{ name: "i1", ...ended(1) }] }, "Failed"],
])(
  "the phase of a pod is not final before all of its containers have stopped, its debug container, too: %s",
  (_, given, want) => {
    const phaseWith = (changes: object, shown: core.PodStatus) =>
      status({
        ...given,
        spec: { ...debugged, ...given.spec },
        containers: [...(given.containers ?? []), { name: "dbg", id: "dbg-0", ...changes }],
        shown,
      }).phase;
    expect(phaseWith({}, { phase: "Running" })).toBe("Running");
    expect(phaseWith({}, {})).toBe("Pending");
    expect(phaseWith({}, { phase: "Failed" })).toBe("Failed");
    expect(phaseWith(ended(137), { phase: "Running" })).toBe(want);
  },
);

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

test.each([
  [true, 2],
  [false, 3],
])("a container that is lost while its pod terminates has terminated; deleted: %s", (deleted, restartCount) => {
  const lost = { ...unknown, message: "The container could not be located when the pod was terminated" };
  const before = {
    ...unknown,
    message: "The container could not be located when the pod was deleted.  The container used to be Running",
  };
  expect(status({ shown: ranBefore, over: true, deleted })).toMatchObject({
    phase: "Failed",
    containerStatuses: [{ restartCount, state: { terminated: lost }, lastState: { terminated: before } }],
  });
});

const inits = { initContainers: ["i1", "i2", "i3"].map((name) => ({ name, image: "i" })) };
const oneStatus = (name: string, state: core.ContainerState) =>
  ({ name, image: "i", imageID: "", ready: false, restartCount: 0, lastState: {}, state }) as const;

test.each<[string, Case, string]>([
  ["nothing was started of it", {}, "c: unknown"],
  ["no image could be pulled", { waiting: { c: { reason: "ErrImagePull" } } }, "c: unknown"],
  ["it crashed again and again", { containers: [ended(1)], waiting: { c: crash } }, "c: unknown, last 1"],
  ["it ended by itself", { spec: { restartPolicy: "Never" }, containers: [ended(3)] }, "c: 3"],
  ["nothing of its init containers was started", { spec: inits }, "i1: unknown; i2: waiting; i3: waiting; c: waiting"],
  [
    "its second init container was started",
    {
      spec: inits,
      containers: [
        { name: "i1", id: "i1", ...ended(0) },
        { name: "i2", id: "i2", ...ended(137) },
      ],
    },
    "i1: 0; i2: 137; i3: waiting; c: waiting",
  ],
  [
    "its init containers had succeeded",
    {
      spec: inits,
      containers: ["i1", "i2", "i3"].map((name) => ({ name, id: name, ...ended(0) })),
      shown: { initContainerStatuses: [oneStatus("i3", { terminated: { exitCode: 0 } })] },
    },
    "i1: 0; i2: 0; i3: 0; c: unknown",
  ],
])("containers of a pod that is evicted do not wait any more when %s", (_, input, want) => {
  const {
    initContainerStatuses = [],
    containerStatuses = [],
    ...result
  } = status({
    ...input,
    over: true,
    failure: { reason: "Evicted", message: "m" },
  });
  const text = ({ terminated }: core.ContainerState) =>
    terminated?.reason === unknown.reason ? "unknown" : (terminated?.exitCode ?? "waiting");
  const shown = [...initContainerStatuses, ...containerStatuses].map(
    ({ name, state, lastState }) => `${name}: ${text(state)}${lastState.terminated ? `, last ${text(lastState)}` : ""}`,
  );
  expect(shown.join("; ")).toBe(want);
  expect(result).toMatchObject({ phase: "Failed", reason: "Evicted" });
});

test("a container that could not be started shows when and why, as in the original", () => {
  const failed = { exitCode: 128, reason: "StartError", message: "no such file", startedAtMs: 0 };
  const { containerStatuses } = status({ containers: [{ ...ended(128), ...failed }] });
  expect(containerStatuses?.[0]?.state).toEqual({
    terminated: {
      exitCode: 128,
      reason: "StartError",
      message: "no such file",
      startedAt: "1970-01-01T00:00:00Z",
      finishedAt: "1970-01-01T00:00:05Z",
      containerID: "containerd://c-0",
    },
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
