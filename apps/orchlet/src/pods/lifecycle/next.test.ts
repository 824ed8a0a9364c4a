import type { core } from "@orchernetes/api";
import { expect, test } from "vitest";
import { emptyRuntime, type PodRuntime } from "../../runtime/pod-runtime.ts";
import { testContainer, testPod, testRuntime, testSandbox } from "../../testing/pods.ts";
import { sourceAnnotation } from "../../types/pod-identity.ts";
import { PodStartError } from "../../types/start-error.ts";
import { next } from "./next.ts";
import { initialState, type Now, type PodSnapshot, type PodState } from "./pod-state.ts";
import type { PodObservation, PodWorkerAction } from "./transition.ts";

const identity = { uid: "u1", name: "web", namespace: "default" };
const policy = { syncMs: 60_000, crash: { initialMs: 10_000, maxMs: 300_000 } };
const startMs = Date.parse("2026-01-01T00:00:00Z");
const at = (ms = 0): Now => ({ date: new Date(startMs + ms), monotonicMs: 5000 + ms });
const pod = testPod({});
const deleted = (graceSeconds: number): core.Pod =>
  testPod({}, { deletionTimestamp: "2026-01-01T00:00:00Z", deletionGracePeriodSeconds: graceSeconds });

const once = testPod({ restartPolicy: "Never" });
const staticPod = testPod({}, { annotations: { [sourceAnnotation]: "file" } });

const nothing = emptyRuntime(identity);
const running = (of: core.Pod = pod) => testRuntime([testContainer(of)]);
const exited = (exitCode: number) =>
  testRuntime(
    [testContainer(pod, { phase: "exited", exitCode, finishedAtMs: startMs })],
    [testSandbox({ ready: false })],
  );

const debugged = testPod({ restartPolicy: "Never", ephemeralContainers: [{ name: "dbg", image: "i" }] });
const debugging = (phase: "running" | "exited") =>
  testRuntime([
    testContainer(debugged, { name: "dbg", phase }),
    testContainer(debugged, { phase: "exited", exitCode: 0, finishedAtMs: startMs }),
  ]);

const snapshot = (runtime: PodRuntime, changes: Partial<PodSnapshot> = {}): PodSnapshot => ({
  runtime,
  probes: new Map(runtime.containers.map(({ id }) => [id, { started: true, ready: true }])),
  verdicts: new Map(),
  hostIPs: ["127.0.0.1"],
  blocked: undefined,
  ...changes,
});
const read = (runtime: PodRuntime, changes: Partial<PodSnapshot> = {}): PodObservation => ({
  type: "RuntimeRead",
  snapshot: snapshot(runtime, changes),
});
const due: PodObservation = { type: "Due" };
const done: PodObservation = { type: "Done" };
const updated = (to: core.Pod): PodObservation => ({ type: "Updated", pod: to });
const removed: PodObservation = { type: "Removed" };
const broken: PodObservation = { type: "EffectFailed", error: new Error("broken") };
const offline: PodObservation = {
  type: "EffectFailed",
  error: new PodStartError("NetworkNotReady", "network is not ready: x", { retryInMs: 1000 }),
};
const prepared: PodObservation = { type: "VolumesPrepared", volumes: new Map() };
const notStarted: PodObservation = {
  type: "StartFailed",
  reason: "CreateContainerError",
  message: "no",
  retryInMs: 3000,
};
const failed = (graceSeconds?: number): PodObservation => ({
  type: "Failed",
  failure: { reason: "Evicted", message: "low", graceSeconds },
});

/** An action in one line; what matters to most rows. */
function text(action: PodWorkerAction): string {
  switch (action.type) {
    case "SetStatus":
      return `status ${action.status.phase}`;
    case "RecordEvent":
      return `event ${action.reason}`;
    case "Wait":
      return `wait ${action.ms}`;
    case "ReadRuntime":
      return `read, probes ${action.probes}`;
    case "KillPod":
      return `kill in ${action.graceSeconds}`;
    case "StartContainer":
      return `start ${action.ref.container.name} #${action.restartCount}`;
    case "CreateSandbox":
      return `sandbox #${action.attempt}`;
    default:
      return action.type;
  }
}

/** Takes a state through observations: where it ends, and the actions of the last step. */
function after(first: core.Pod | undefined, observations: readonly PodObservation[], now = at(1000)) {
  let state: PodState = initialState(identity, first, policy, at());
  let actions: readonly PodWorkerAction[] = [];
  for (const observation of observations) ({ state, actions } = next(state, observation, now));
  return { state, actions: actions.map(text) };
}

const admitted: readonly PodObservation[] = [due, read(nothing), { type: "Admitted" }];
const synced: readonly PodObservation[] = [...admitted, read(running()), prepared];
const killing = (graceSeconds = 30): readonly PodObservation[] => [
  ...synced,
  updated(deleted(graceSeconds)),
  ...[due, read(running())],
];
const dead = [...killing(), done, read(exited(0))];
const crashed: readonly PodObservation[] = [...admitted, read(exited(1)), done, prepared, done];

type Row = readonly [
  title: string,
  first: core.Pod | undefined,
  observations: readonly PodObservation[],
  state: PodState["type"],
  actions: readonly string[],
];

const starts: readonly Row[] = [
  ["a new pod is looked at", pod, [due], "Starting", ["read, probes keep"]],
  ["a pod of which nothing runs is asked about", pod, [due, read(nothing)], "Starting", ["Admit"]],
  ["one that runs is not", pod, [due, read(running())], "Syncing", ["GrantAdmission", "read, probes sync"]],
  ["an admitted pod is synced", pod, admitted, "Syncing", ["read, probes sync"]],
  [
    "a refused pod ends as failed",
    pod,
    [due, read(nothing), { type: "Refused", refusal: { reason: "NodePorts", message: "m", dependsOnNode: false } }],
    "Terminating",
    ["event NodePorts", "read, probes readiness"],
  ],
  [
    "a pod that is past its deadline ends as failed",
    testPod({ activeDeadlineSeconds: 1 }),
    [due],
    "Terminating",
    ["event DeadlineExceeded", "read, probes readiness"],
  ],
  [
    "a pod that was finished when the agent started is not started",
    { ...pod, status: { phase: "Succeeded" } },
    [due, read(nothing)],
    "Terminated",
    ["status Succeeded", "Release"],
  ],
];

const syncs: readonly Row[] = [
  ["a pod needs its volumes first", pod, [...admitted, read(nothing)], "Syncing", ["status Pending", "PrepareVolumes"]],
  ["then its sandbox", pod, [...admitted, read(nothing), prepared], "Syncing", ["sandbox #0"]],
  [
    "then its containers, whose state is shown together with the address",
    pod,
    [...admitted, read(nothing), prepared, done, read(testRuntime([]))],
    "Syncing",
    ["start c #0"],
  ],
  [
    "or without them if they cannot be started",
    pod,
    [...admitted, read(nothing), prepared, done, read(testRuntime([])), ...[notStarted, read(testRuntime([]))]],
    "Syncing",
    ["status Pending", "read, probes sync"],
  ],
  ["a pod that runs is left alone until the next sync", pod, synced, "Syncing", ["wait 60000"]],
  [
    "a pod that the node cannot confine waits",
    pod,
    [...admitted, read(nothing, { blocked: { reason: "AppArmor", message: "m", dependsOnNode: false } })],
    "Syncing",
    ["status Pending", "wait 60000"],
  ],
  [
    "volumes that failed are prepared again after half a second",
    pod,
    [...admitted, read(nothing), { type: "VolumesFailed", message: "no" }, read(nothing)],
    "Syncing",
    ["status Pending", "wait 500"],
  ],
  [
    "a container whose start failed is started again after a while",
    pod,
    [...[...admitted, read(testRuntime([])), prepared], notStarted, ...[read(testRuntime([])), read(testRuntime([]))]],
    "Syncing",
    ["status Pending", "wait 3000"],
  ],
  [
    "a container that a probe has failed is killed",
    pod,
    [...admitted, read(running(), { verdicts: new Map([["c-0", { message: "m" }]]) }), prepared],
    "Syncing",
    ["KillContainer"],
  ],
  [
    "a container that a probe has failed is started again at once",
    pod,
    [...admitted, read(running(), { verdicts: new Map([["c-0", { message: "m" }]]) }), ...[prepared, done]],
    "Syncing",
    ["start c #1"],
  ],
  [
    "a container that crashed is started again in a new sandbox",
    pod,
    [...crashed, read(testRuntime([testContainer(pod, { phase: "exited", exitCode: 1, finishedAtMs: startMs })]))],
    "Syncing",
    ["status Running", "start c #1"],
  ],
  [
    "a pod whose containers have ended is finished",
    once,
    [...admitted, read(exited(0))],
    "Terminated",
    ["status Succeeded", "status Succeeded", "Release"],
  ],
  [
    "a pod whose containers have ended is stopped with its debug container",
    debugged,
    [...admitted, read(debugging("running")), prepared],
    "Syncing",
    ["kill in undefined"],
  ],
  [
    "and is finished when that has ended, too",
    debugged,
    [...admitted, read(debugging("running")), prepared, ...[done, read(debugging("exited"))]],
    "Syncing",
    ["status Succeeded", "wait 0"],
  ],
  ["an update at rest is acted on at once", pod, [...synced, updated(pod)], "Syncing", ["wait 0"]],
  ["an update during an effect is acted on after the round", pod, [due, updated(pod)], "Starting", []],
  [
    "then the next round follows without a wait",
    pod,
    [...admitted, updated(pod), read(running()), prepared],
    "Syncing",
    ["wait 0"],
  ],
];

const errors: readonly Row[] = [
  ["an effect that fails is tried again", pod, [due, broken], "Starting", ["LogError", "wait 1000"]],
  ["later each time", pod, [due, broken, due, broken, due, broken], "Starting", ["LogError", "wait 4000"]],
  [
    "a round that works makes the next error the first",
    pod,
    [due, broken, due, read(nothing), { type: "Admitted" }, read(running()), prepared, due, broken],
    "Syncing",
    ["LogError", "wait 1000"],
  ],
  [
    "a sandbox that cannot be made is reported",
    pod,
    [...admitted, read(nothing), prepared, broken],
    "Syncing",
    ["event FailedCreatePodSandBox", "LogError", "wait 1000"],
  ],
  [
    "a sandbox has to wait for the network, but not long",
    pod,
    [...admitted, read(nothing), prepared, offline, due, read(nothing), prepared, offline],
    "Syncing",
    ["event NetworkNotReady", "LogError", "wait 1000"],
  ],
  [
    "a kill that fails is reported, and tried again",
    pod,
    [...killing(), broken],
    "Terminating",
    ["event FailedKillPod", "LogError", "wait 1000"],
  ],
  ["so is what could not be removed", pod, [...dead, done, broken], "Terminated", ["LogError", "wait 1000"]],
];

const endings: readonly Row[] = [
  ["a deletion interrupts", pod, [due, updated(deleted(5))], "Terminating", ["Interrupt"]],
  ["the pod ends after the interrupted effect", pod, [due, updated(deleted(5)), broken], "Terminating", ["wait 0"]],
  ["even if that worked", pod, [...admitted, read(nothing), prepared, removed, done], "Terminating", ["wait 0"]],
  ["a pod at rest ends at once", pod, [...synced, updated(deleted(5))], "Terminating", ["wait 0"]],
  ["a deleted pod has its grace period", pod, killing(7), "Terminating", ["status Running", "kill in 7"]],
  ["a shorter grace period interrupts", pod, [...killing(), updated(deleted(3))], "Terminating", ["Interrupt"]],
  [
    "and counts from then on",
    pod,
    [...killing(), updated(deleted(3)), broken, updated(deleted(90)), due, read(running())],
    "Terminating",
    ["status Running", "kill in 3"],
  ],
  ["a longer one does not interrupt", pod, [...killing(), updated(deleted(90))], "Terminating", []],
  ["an eviction shortens it, too", pod, [...killing(), failed(0)], "Terminating", ["Interrupt"]],
  [
    "a failed pod has its own grace period",
    testPod({ terminationGracePeriodSeconds: 9 }),
    [...synced, failed(), due, read(running())],
    "Terminating",
    ["status Running", "kill in 9"],
  ],
  [
    "a second eviction shortens it again",
    testPod({ terminationGracePeriodSeconds: 9 }),
    [...synced, failed(), due, read(running()), failed(0)],
    "Terminating",
    ["Interrupt"],
  ],
  ["an unknown pod gets only a second", undefined, [due, read(running())], "Terminating", ["kill in 1"]],
  [
    "a kill of an unknown pod that fails is logged",
    undefined,
    [due, read(running()), broken],
    "Terminating",
    ["LogError", "wait 1000"],
  ],
  ["a kill is looked at", pod, [...killing(), done], "Terminating", ["read, probes readiness"]],
  [
    "a pod that a kill has left alive is killed later",
    pod,
    [...killing(), done, read(running())],
    "Terminating",
    ["status Running", "wait 60000"],
  ],
];

const clearings: readonly Row[] = [
  [
    "a deleted pod of which nothing runs has its status written",
    pod,
    dead,
    "Terminated",
    ["status Succeeded", "FlushStatus"],
  ],
  ["then all of it is removed", pod, [...dead, done], "Terminated", ["Clear"]],
  ["then the API server removes it", pod, [...dead, done, done], "Terminated", ["DeletePod"]],
  [
    "it is gone when its source no longer has it",
    pod,
    [...dead, ...[done, done, done], removed, due, read(nothing), done],
    "Gone",
    [],
  ],
  [
    "while it has it, it is asked again",
    pod,
    [...dead, ...[done, done, done], due, read(nothing), done],
    "Terminated",
    ["DeletePod"],
  ],
  [
    "a failed pod gives its volumes back",
    pod,
    [...synced, failed(0), due, read(exited(1))],
    "Terminated",
    ["status Failed", "Release"],
  ],
  [
    "once",
    pod,
    [...synced, failed(0), due, read(exited(1)), done, due, read(exited(1))],
    "Terminated",
    ["status Failed", "wait 60000"],
  ],
  ["what is left of an unknown pod is removed", undefined, [due, read(exited(0)), done], "Terminated", ["Clear"]],
  ["and then it is gone", undefined, [due, read(exited(0)), done, done], "Gone", []],
  [
    "a static pod is not the API server's to remove",
    staticPod,
    [
      ...synced,
      updated({
        ...deleted(0),
        metadata: { ...deleted(0).metadata, annotations: staticPod.metadata.annotations ?? {} },
      }),
      due,
      read(nothing),
      done,
      done,
    ],
    "Terminated",
    ["wait 60000"],
  ],
  [
    "what runs again is killed again",
    pod,
    [...dead, broken, due, read(running())],
    "Terminating",
    ["status Succeeded", "kill in 30"],
  ],
];

test.each([...starts, ...syncs, ...errors, ...endings, ...clearings])(
  "%s",
  (_, first, observations, state, actions) => {
    const result = after(first, observations);
    expect([result.state.type, result.actions]).toEqual([state, actions]);
  },
);

test.each([
  ["a pod that comes back while it ends", [removed, updated(pod)], pod],
  ["one that goes again", [removed, updated(pod), removed], undefined],
  [
    "one that comes back deleted, so that the API server is asked to remove it,",
    [removed, updated(deleted(1))],
    deleted(1),
  ],
] as const)("%s is started again only if its source still has it when it is gone", (_, changes, restart) => {
  const { state } = after(pod, [...synced, ...changes, due, read(exited(0)), done, done]);
  expect(state).toMatchObject({ type: "Gone" });
  expect(state.type === "Gone" && state.restart).toEqual(restart);
});

test("a result that belongs to no effect is rejected", () => {
  expect(() => after(pod, [due, done])).toThrow("found observation Done in state Starting (ReadRuntime)");
});

test.each([
  ["CreateContainerError", ["Error: no"]],
  ["ErrImagePull", ["Error: ErrImagePull"]],
  ["ErrImageNeverPull", ["Error: ErrImageNeverPull"]],
  // What a hook wrote may be secret.
  ["PostStartHookError", []],
])("the events of a start that failed with %s are %j", (reason, want) => {
  let state: PodState = initialState(identity, pod, policy, at());
  let actions: readonly PodWorkerAction[] = [];
  const failing: PodObservation = { type: "StartFailed", reason, message: "no", retryInMs: undefined };
  for (const observation of [...admitted, read(testRuntime([])), prepared, failing])
    ({ state, actions } = next(state, observation, at(1000)));
  expect(actions.flatMap((one) => (one.type === "RecordEvent" ? [one.message] : []))).toEqual(want);
});
