import { expect, test } from "vitest";
import { type ContainerObservation, emptyRuntime } from "../../runtime/pod-runtime.ts";
import { testContainer, testPod, testRuntime } from "../../testing/pods.ts";
import { backoffs, withRestart } from "./crash-backoff.ts";
import { next } from "./next.ts";
import { initialState, type Now, type PodSnapshot, type PodState, type SyncingPod } from "./pod-state.ts";
import type { PodObservation } from "./transition.ts";

const pod = testPod({});
const container = pod.spec.containers[0] ?? { name: "c", resources: {} };
const identity = { uid: "u1", name: "web", namespace: "default" };
const policy = { syncMs: 60_000, crash: { initialMs: 10_000, maxMs: 300_000 } };
const at = (seconds: number): Now => ({ date: new Date(seconds * 1000), monotonicMs: seconds * 1000 });
const empty: PodSnapshot = {
  runtime: emptyRuntime(identity),
  probes: new Map(),
  verdicts: new Map(),
  hostIPs: [],
  blocked: undefined,
};

function syncingPod(): SyncingPod {
  let state: PodState = initialState(identity, pod, policy, at(0));
  const first: readonly PodObservation[] = [
    { type: "Due" },
    { type: "RuntimeRead", snapshot: empty },
    { type: "Admitted" },
  ];
  for (const observation of first) ({ state } = next(state, observation, at(0)));
  if (state.type !== "Syncing") throw new Error(`found state ${state.type}; want Syncing`);
  return state;
}

const copy = (restartCount: number, changes: Partial<ContainerObservation> = {}) =>
  testContainer(pod, { id: `c-${restartCount}`, restartCount, ...changes });
const ended = (restartCount: number, seconds: number) =>
  copy(restartCount, { phase: "exited", exitCode: 1, finishedAtMs: seconds * 1000 });

/** How long a container waits each time when it ends, for whatever reason, `seconds` after it was started. */
function waits(seconds: number, times: number, by: "probe" | "itself"): readonly number[] {
  let state = syncingPod();
  let now = 0;
  let exits: readonly ContainerObservation[] = [];
  return Array.from({ length: times }, (_, count) => {
    now += seconds;
    const latest = by === "probe" ? copy(count) : ended(count, now);
    const verdicts = new Map(by === "probe" ? [[latest.id, { message: "m" }]] : []);
    state = { ...state, snapshot: { ...empty, runtime: testRuntime([latest, ...exits]), verdicts } };
    const atOnce = backoffs(state, at(now)).leftMs.get("c") ?? 0;
    exits = [ended(count, now), ...exits];
    if (atOnce === 0) {
      state = withRestart(state, container, at(now));
      return 0;
    }
    // The next round knows of its end.
    state = { ...state, snapshot: { ...empty, runtime: testRuntime(exits) } };
    const leftMs = backoffs(state, at(now)).leftMs.get("c") ?? 0;
    now += leftMs / 1000;
    state = withRestart(state, container, at(now));
    return leftMs / 1000;
  });
}

test.each([
  ["itself", 1, [0, 10, 20, 40, 80, 160, 300, 300]],
  ["itself", 40, [0, 10, 20, 40, 80, 160, 300, 300]],
  // Only when probes fail faster than the back-off grows does the container wait.
  ["probe", 30, [0, 0, 0, 0, 40, 80, 160, 300]],
  ["probe", 75, [0, 0, 0, 0, 0, 80, 160, 300]],
  ["probe", 1, [0, 0, 10, 20, 40, 80, 160, 300]],
] as const)("a container that ends by %s after %d s waits %j s", (by, seconds, want) => {
  expect(waits(seconds, want.length, by)).toEqual(want);
});

test("a container that runs does not wait, although the copy before it ended just now", () => {
  const restarted = withRestart(
    { ...syncingPod(), snapshot: { ...empty, runtime: testRuntime([ended(0, 1)]) } },
    container,
    at(2),
  );
  const state = { ...restarted, snapshot: { ...empty, runtime: testRuntime([copy(1), ended(0, 1)]) } };
  const { leftMs, actions, state: after } = backoffs(state, at(3));
  expect([leftMs.size, actions, after.waiting.size]).toEqual([0, [], 0]);
});

test("a copy that never started does not hide the crash before it", () => {
  const restarted = withRestart(
    { ...syncingPod(), snapshot: { ...empty, runtime: testRuntime([ended(0, 1)]) } },
    container,
    at(2),
  );
  const runtime = testRuntime([copy(1, { phase: "created" }), ended(0, 1)]);
  const { leftMs, state } = backoffs({ ...restarted, snapshot: { ...empty, runtime } }, at(3));
  expect([leftMs.get("c"), state.waiting.get("c")?.reason]).toEqual([8000, "CrashLoopBackOff"]);
});
