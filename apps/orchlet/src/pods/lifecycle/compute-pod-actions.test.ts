import { expect, test } from "vitest";
import { testContainer, testPod, testRuntime, testSandbox } from "../../testing/pods.ts";
import { computePodActions, type PodAction, type PodActionsInput } from "./compute-pod-actions.ts";

const init = {
  initContainers: [
    { name: "i1", image: "i" },
    { name: "i2", image: "i" },
  ],
};
const p0: Partial<PodActionsInput> = {};
const ended = (exitCode: number) => ({ phase: "exited", exitCode, finishedAtMs: 5 }) as const;

function decided(input: Partial<PodActionsInput> & Pick<PodActionsInput, "pod" | "runtime">) {
  const { actions, backingOff } = computePodActions({
    intent: { type: "Run" },
    verdicts: new Map(),
    backoffMs: new Map(),
    shownRestarts: new Map(),
    ...input,
  });
  const text = actions.map(describeAction);
  return [...text, ...[...backingOff.keys()].map((name) => `wait ${name}`)];
}

test.each([
  ["a new pod", {}, () => testRuntime([], []), ["sandbox #0", "start regular c #0"], p0],
  ["a running pod", {}, (p: Pod) => testRuntime([testContainer(p)]), [], p0],
  ["the first init container before all else", init, () => testRuntime([], []), ["sandbox #0", "start init i1 #0"], p0],
  ["an init container that runs", init, (p: Pod) => testRuntime([testContainer(p, { name: "i1" })]), [], p0],
  [
    "the second init container",
    init,
    (p: Pod) => testRuntime([testContainer(p, { name: "i1", ...ended(0) })]),
    ["start init i2 #0"],
    p0,
  ],
  [
    "the containers after the last init container",
    init,
    (p: Pod) =>
      testRuntime([testContainer(p, { name: "i2", ...ended(0) }), testContainer(p, { name: "i1", ...ended(0) })]),
    ["start regular c #0"],
    p0,
  ],
  [
    "an init container that failed",
    init,
    (p: Pod) => testRuntime([testContainer(p, { name: "i1", ...ended(1) })]),
    ["start init i1 #1"],
    p0,
  ],
  [
    "an init container that runs, before which another one was removed",
    init,
    (p: Pod) => testRuntime([testContainer(p, { name: "i2" })]),
    [],
    p0,
  ],
  [
    "the containers after init containers of which only the last one was not removed",
    init,
    (p: Pod) => testRuntime([testContainer(p, { name: "i2", ...ended(0) })]),
    ["start regular c #0"],
    p0,
  ],
  [
    "an init container that failed, before which another one was removed",
    init,
    (p: Pod) => testRuntime([testContainer(p, { name: "i2", ...ended(1) })]),
    ["start init i2 #1"],
    p0,
  ],
  [
    "an init container that was created, after one that succeeded",
    init,
    (p: Pod) =>
      testRuntime([testContainer(p, { name: "i2", phase: "created" }), testContainer(p, { name: "i1", ...ended(0) })]),
    ["start init i2 #1"],
    p0,
  ],
  [
    "an init container that failed for good",
    { ...init, restartPolicy: "Never" },
    (p: Pod) => testRuntime([testContainer(p, { name: "i1", ...ended(1) })]),
    ["kill pod: InitContainerFailed"],
    p0,
  ],
  [
    "Always restarts what succeeded",
    {},
    (p: Pod) => testRuntime([testContainer(p, ended(0))]),
    ["start regular c #1"],
    p0,
  ],
  [
    "OnFailure restarts what failed",
    { restartPolicy: "OnFailure" },
    (p: Pod) => testRuntime([testContainer(p, ended(1))]),
    ["start regular c #1"],
    p0,
  ],
  [
    "OnFailure leaves what succeeded",
    { restartPolicy: "OnFailure" },
    (p: Pod) => testRuntime([testContainer(p, ended(0))]),
    ["kill pod: Completed"],
    p0,
  ],
  [
    "Never restarts nothing",
    { restartPolicy: "Never" },
    (p: Pod) => testRuntime([testContainer(p, ended(1))]),
    ["kill pod: Completed"],
    p0,
  ],
  [
    "a copy that never started counts as any other",
    {},
    (p: Pod) => testRuntime([testContainer(p, { phase: "created", restartCount: 2 })]),
    ["start regular c #3"],
    p0,
  ],
  [
    "a container of which the runtime does not know whether it runs",
    {},
    (p: Pod) => testRuntime([testContainer(p, { phase: "unknown" })]),
    ['kill c-0: Container is in "unknown" state, try killing it before restart', "start regular c #1"],
    p0,
  ],
  [
    "a container of which the runtime does not know whether it runs is not killed before its back-off ends",
    { restartPolicy: "Never" },
    (p: Pod) => testRuntime([testContainer(p, { phase: "unknown" })]),
    ["wait c"],
    { backoffMs: new Map([["c", 5000]]) },
  ],
  [
    "an init container of which the runtime does not know whether it runs",
    init,
    (p: Pod) => testRuntime([testContainer(p, { name: "i1", phase: "unknown" })]),
    ['kill i1-0: Init container is in "unknown" state, try killing it before restart', "start init i1 #1"],
    p0,
  ],
  [
    "an unknown init container where nothing is restarted",
    { ...init, restartPolicy: "Never" },
    (p: Pod) => testRuntime([testContainer(p, { name: "i1", phase: "unknown" })]),
    ["kill pod: InitContainerFailed"],
    p0,
  ],
  [
    "a dead sandbox",
    {},
    (p: Pod) => testRuntime([testContainer(p, ended(137))], [testSandbox({ ready: false })]),
    ["kill pod: SandboxChanged", "sandbox #1", "start regular c #1"],
    p0,
  ],
  [
    "a dead sandbox of a pod that is done",
    { restartPolicy: "Never" },
    (p: Pod) => testRuntime([testContainer(p, ended(0))], [testSandbox({ ready: false })]),
    [],
    p0,
  ],
  [
    "a dead sandbox whose container still runs",
    {},
    (p: Pod) => testRuntime([testContainer(p)], [testSandbox({ ready: false })]),
    ["kill pod: SandboxChanged", "sandbox #1", "start regular c #1"],
    p0,
  ],
  [
    "a dead sandbox whose container still runs and is restarted only if it fails",
    { restartPolicy: "OnFailure" },
    (p: Pod) => testRuntime([testContainer(p)], [testSandbox({ ready: false })]),
    ["kill pod: SandboxChanged", "sandbox #1", "start regular c #1"],
    p0,
  ],
  [
    "a dead sandbox where one container still runs and the other one succeeded",
    {
      containers: [
        { name: "a", image: "i" },
        { name: "b", image: "i" },
      ],
      restartPolicy: "OnFailure",
    },
    (p: Pod) =>
      testRuntime(
        [testContainer(p, { name: "a", ...ended(0) }), testContainer(p, { name: "b" })],
        [testSandbox({ ready: false })],
      ),
    ["kill pod: SandboxChanged", "sandbox #1", "start regular b #1"],
    p0,
  ],
  [
    "a dead sandbox whose container still runs where nothing is restarted",
    { restartPolicy: "Never" },
    (p: Pod) => testRuntime([testContainer(p)], [testSandbox({ ready: false })]),
    ["kill pod: Completed"],
    p0,
  ],
  [
    "a dead sandbox where nothing is restarted, although a container never ran",
    { ...init, restartPolicy: "Never" },
    (p: Pod) => testRuntime([testContainer(p, { name: "i1", ...ended(0) })], [testSandbox({ ready: false })]),
    [],
    p0,
  ],
  [
    "a dead sandbox in which no container was created, where nothing is restarted",
    { restartPolicy: "Never" },
    () => testRuntime([], [testSandbox({ ready: false })]),
    ["kill pod: SandboxChanged", "sandbox #1", "start regular c #0"],
    p0,
  ],
  [
    "a sandbox without address",
    {},
    () => testRuntime([], [testSandbox({ ips: [] })]),
    ["kill pod: SandboxChanged", "sandbox #1", "start regular c #0"],
    p0,
  ],
  [
    "a changed container",
    {},
    (p: Pod) => testRuntime([testContainer(p, { hash: "other" })]),
    ["kill c-0: Container c definition changed, will be restarted", "start regular c #1"],
    p0,
  ],
  [
    "a failed liveness probe",
    {},
    (p: Pod) => testRuntime([testContainer(p)]),
    ["kill c-0: Container c failed liveness probe, will be restarted", "start regular c #1"],
    { verdicts: new Map([["c-0", { message: "Container c failed liveness probe" }]]) },
  ],
  [
    "a failed liveness probe during the back-off",
    {},
    (p: Pod) => testRuntime([testContainer(p)]),
    ["kill c-0: m, will be restarted", "wait c"],
    { verdicts: new Map([["c-0", { message: "m" }]]), backoffMs: new Map([["c", 5000]]) },
  ],
  [
    "what has to stop before what has to start",
    {
      containers: [
        { name: "a", image: "i" },
        { name: "b", image: "i" },
        { name: "c", image: "i" },
      ],
    },
    (p: Pod) =>
      testRuntime([testContainer(p, { name: "a", ...ended(1) }), testContainer(p, { name: "b" }), testContainer(p)]),
    [
      "kill b-0: m, will be restarted",
      "kill c-0: m, will be restarted",
      ...["start regular a #1", "start regular b #1", "start regular c #1"],
    ],
    {
      verdicts: new Map([
        ["b-0", { message: "m" }],
        ["c-0", { message: "m" }],
      ]),
    },
  ],
  [
    "a failed liveness probe where nothing is restarted",
    { restartPolicy: "Never" },
    (p: Pod) => testRuntime([testContainer(p)]),
    ["kill c-0: Container c failed liveness probe"],
    { verdicts: new Map([["c-0", { message: "Container c failed liveness probe" }]]) },
  ],
  [
    "back-off",
    {},
    (p: Pod) => testRuntime([testContainer(p, ended(1))]),
    ["wait c"],
    { backoffMs: new Map([["c", 5000]]) },
  ],
  ["counts never fall", {}, () => testRuntime([]), ["start regular c #4"], { shownRestarts: new Map([["c", 4]]) }],
  [
    "the end of a pod",
    {},
    (p: Pod) => testRuntime([testContainer(p)]),
    ["kill pod: Deleted"],
    { intent: { type: "Terminate", why: "Deleted" } },
  ],
  [
    "nothing left to end",
    {},
    (p: Pod) => testRuntime([testContainer(p, ended(0))], [testSandbox({ ready: false })]),
    [],
    { intent: { type: "Terminate", why: "Deleted" } },
  ],
  [
    "a debugging container",
    { ephemeralContainers: [{ name: "dbg", image: "i" }] },
    (p: Pod) => testRuntime([testContainer(p)]),
    ["start ephemeral dbg #0"],
    p0,
  ],
] satisfies readonly Row[])("%s", (_, spec, runtime, want, more) => {
  const pod = testPod(spec);
  expect(decided({ pod, runtime: runtime(pod), ...more })).toEqual(want);
});

function describeAction(action: PodAction): string {
  if (action.type === "StartContainer") return `start ${action.kind} ${action.name} #${action.restartCount}`;
  if (action.type === "CreateSandbox") return `sandbox #${action.attempt}`;
  if (action.type === "KillContainer") return `kill ${action.containerId}: ${action.message}`;
  return `kill pod: ${action.why}`;
}

type Pod = PodActionsInput["pod"];
type Row = [string, object, (pod: Pod) => PodActionsInput["runtime"], string[], Partial<PodActionsInput>];
