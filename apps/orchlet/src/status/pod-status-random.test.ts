import type { core } from "@orchernetes/api";
import { seededNumbers } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import type { ContainerObservation } from "../runtime/pod-runtime.ts";
import { testContainer, testPod, testRuntime } from "../testing/pods.ts";
import type { WaitingReason } from "./container-status.ts";
import { podStatusOf } from "./pod-status.ts";

const sequences = 1000;
const stepsEach = 8;

type Runtime = readonly ContainerObservation[];
/** What is compared of a container: its state and the last one, as text, and how often it was restarted. */
type Shown = readonly [state: string, last: string, restarts: number];

const unknown = "terminated 137 ContainerStatusUnknown";
const ended = ({ exitCode, reason }: ContainerObservation): string =>
  `terminated ${exitCode} ${reason || (exitCode === 0 ? "Completed" : "Error")}`;
const textOf = (state: core.ContainerState = {}): string => {
  if (state.running !== undefined) return "running";
  if (state.terminated !== undefined) return `terminated ${state.terminated.exitCode} ${state.terminated.reason}`;
  return state.waiting === undefined ? "" : `waiting ${state.waiting.reason ?? ""}`;
};

/** The status of a container in the steps of the original: by what was shown, by the runtime, and by failed starts. */
function model(
  pod: core.Pod,
  name: string,
  isInit: boolean,
  runtime: Runtime,
  old: Shown | undefined,
  reason: string | undefined,
  isDeleted: boolean,
): Shown {
  const copies = runtime.filter((one) => one.name === name);
  const [latest, before] = copies;
  const initial = (pod.spec.initContainers ?? []).length > 0 ? "waiting PodInitializing" : "waiting ContainerCreating";
  let [state, last, restarts]: [string, string, number] = [initial, old?.[1] ?? "", old?.[2] ?? 0];
  if (latest === undefined) {
    if (old?.[0].startsWith("terminated")) state = old[0];
    else if (old?.[0] === "running" && last === "") {
      last = unknown;
      if (!isDeleted) restarts += 1;
    }
  } else {
    [state, last, restarts] = ["waiting ", "", latest.restartCount];
    if (latest.phase === "running") state = "running";
    else if (latest.phase === "exited") state = ended(latest);
    // The original shows it as waiting again after that.
    else if (latest.phase === "unknown" && (old?.[0] === "running" || old?.[0] === unknown)) state = unknown;
    if (before?.phase === "exited") last = ended(before);
  }
  const policy = pod.spec.restartPolicy ?? "Always";
  const exited = latest?.phase === "exited" ? latest : undefined;
  const mayStart =
    !isDeleted &&
    latest?.phase !== "running" &&
    (exited === undefined || policy === "Always" || (policy === "OnFailure" && exited.exitCode !== 0));
  if (reason !== undefined && mayStart && !(isInit && exited?.exitCode === 0)) {
    if (state.startsWith("terminated")) last = state;
    state = `waiting ${reason}`;
  }
  return [state, last, restarts];
}

const isOver = (text: string) => text.startsWith("terminated");
const isZero = (text: string) => text.startsWith("terminated 0 ");

/** The states of containers when their pod has terminated, in the steps of the original; `old` is what was shown before. */
function atEnd(
  init: readonly Shown[],
  regular: readonly Shown[],
  old: { readonly init: readonly (Shown | undefined)[]; readonly regular: readonly (Shown | undefined)[] },
): { readonly init: readonly Shown[]; readonly regular: readonly Shown[] } {
  const fail = (one: Shown): Shown => (isOver(one[0]) ? one : [unknown, one[1], one[2]]);
  let started = init.length;
  while (started > 1 && init[started - 1]?.[0].startsWith("waiting") && !isOver(init[started - 1]?.[1] ?? ""))
    started -= 1;
  const hadStarted = old.regular.some(
    (one) => one !== undefined && (isOver(one[1]) || one[0] === "running" || isOver(one[0])),
  );
  const wasReady = init.length === 0 || hadStarted || isZero(old.init.at(-1)?.[0] ?? "");
  return {
    init: init.map((one, i) => (i < started ? fail(one) : one)),
    regular: wasReady ? regular.map(fail) : regular,
  };
}

/** The phase by the original's rules. */
function phaseOf(pod: core.Pod, init: readonly Shown[], regular: readonly Shown[], isTerminal: boolean): string {
  const phase = ownPhaseOf(pod, init, regular, isTerminal);
  // A pod that has terminated has an end, whatever became of its containers.
  return isTerminal && phase !== "Succeeded" ? "Failed" : phase;
}

function ownPhaseOf(pod: core.Pod, init: readonly Shown[], regular: readonly Shown[], isTerminal: boolean): string {
  const policy = pod.spec.restartPolicy;
  const isPending = ([state, last]: Shown) => !isOver(state) && (state === "running" || !isOver(last));
  const hasFailed = ([state, last]: Shown) =>
    isOver(state) ? !isZero(state) : state !== "running" && isOver(last) && !isZero(last);
  if (init.some(hasFailed) && policy === "Never") return "Failed";
  if (init.some(isPending)) return "Pending";
  if (regular.some(([state, last]) => state !== "running" && !isOver(state) && !isOver(last))) return "Pending";
  if (regular.some(([state]) => state === "running")) return "Running";
  if (isTerminal) return regular.every(([state]) => isZero(state)) ? "Succeeded" : "Failed";
  if (policy === "Always") return "Running";
  if (regular.every(([state]) => isZero(state))) return "Succeeded";
  return policy === "Never" ? "Failed" : "Running";
}

const exited = (one: ContainerObservation): ContainerObservation => ({ ...one, phase: "exited", exitCode: 137 });
const deleted = (pod: core.Pod): core.Pod => ({
  ...pod,
  metadata: { ...pod.metadata, deletionTimestamp: "2023-06-01T00:00:30Z" },
});

/** A runtime in which containers start, end, are lost and fail to start by chance. */
function createWorld(below: (bound: number) => number) {
  const random = () => below(1_000_000) / 1_000_000;
  const chance = (share: number): boolean => random() < share;
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const named = (prefix: string, most: number, least: number) =>
    Array.from({ length: least + Math.floor(random() * most) }, (_, i) => ({ name: `${prefix}${9 - i}`, image: "i" }));
  const pod = testPod({
    restartPolicy: pick(["Always", "OnFailure", "Never"]),
    initContainers: chance(0.5) ? named("i", 2, 1) : [],
    containers: named("c", 3, 1),
  });
  const containers = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
  const copies = new Map<string, readonly ContainerObservation[]>();
  let made = 0;
  const fresh = (name: string, restartCount: number): ContainerObservation => {
    const phase = pick(["created", "running", "running", "exited", "exited", "unknown"] as const);
    const exitCode = phase === "exited" ? pick([0, 0, 1, 137]) : 0;
    const reason = exitCode === 137 ? "OOMKilled" : "";
    made += 1;
    return testContainer(pod, { name, id: `${name}-${made}`, restartCount, phase, exitCode, reason, finishedAtMs: 5 });
  };
  return {
    pod,
    chance,
    /** Changes every container by chance; the runtime's containers, newest first, and why some could not be started. */
    step(over: boolean): { readonly runtime: Runtime; readonly waiting: ReadonlyMap<string, WaitingReason> } {
      for (const { name } of containers) {
        const [latest] = copies.get(name) ?? [];
        if (chance(0.15)) copies.delete(name);
        else if (latest === undefined) chance(0.5) && copies.set(name, [fresh(name, 0)]);
        else if (latest.phase === "exited") {
          if (chance(0.4)) copies.set(name, [fresh(name, latest.restartCount + 1), latest]);
        } else if (chance(0.5)) {
          const phase = pick(["running", "exited", "unknown"] as const);
          copies.set(name, [
            { ...latest, phase, exitCode: phase === "exited" ? pick([0, 1]) : 0 },
            ...(copies.get(name) ?? []).slice(1),
          ]);
        }
      }
      const failing = containers.filter(() => chance(0.2));
      const reasons = ["CrashLoopBackOff", "ErrImagePull", "RunContainerError"];
      return {
        runtime: [...copies.values()].flat().map((one) => (over && one.phase === "running" ? exited(one) : one)),
        waiting: new Map(failing.map(({ name }) => [name, { reason: pick(reasons) }])),
      };
    },
  };
}

test(`the statuses of ${sequences} pods are those of the kubelet over ${stepsEach} states of their runtime`, () => {
  const phases = new Map<string, number>();
  // The first numbers of consecutive seeds are alike.
  const below = seededNumbers(27);
  for (let sequence = 0; sequence < sequences; sequence++) {
    const world = createWorld(below);
    let shown: core.PodStatus = {};
    const { chance } = world;
    const isReady = chance(0.8);
    const isDeleted = chance(0.5);
    for (let n = 0; n < stepsEach; n++) {
      // Nothing of a pod runs any more when it has terminated.
      const over = n === stepsEach - 1;
      const pod = over && isDeleted ? deleted(world.pod) : world.pod;
      const { runtime, waiting } = world.step(over);
      const before = [...(shown.initContainerStatuses ?? []), ...(shown.containerStatuses ?? [])];
      const old = ({ name }: core.Container): Shown | undefined => {
        const found = before.find((one) => one.name === name);
        return found && [textOf(found.state), textOf(found.lastState), found.restartCount];
      };
      const modelOf =
        (isInit: boolean) =>
        (container: core.Container): Shown =>
          model(
            ...([pod, container.name, isInit, runtime, old(container)] as const),
            waiting.get(container.name)?.reason,
            over && isDeleted,
          );
      const initContainers = pod.spec.initContainers ?? [];
      const now = { init: initContainers.map(modelOf(true)), regular: pod.spec.containers.map(modelOf(false)) };
      const settled = shown.phase === "Failed" || shown.phase === "Succeeded" ? shown.phase : undefined;
      const computed = settled ?? phaseOf(pod, now.init, now.regular, over);
      const isFinal = computed === "Succeeded" || computed === "Failed";
      // The status manager of the original keeps the phase until nothing runs, but not the conditions.
      const isHeld = settled === undefined && isFinal && runtime.some(({ phase }) => phase === "running");
      const phase = isHeld ? (shown.phase ?? "Pending") : computed;
      const olds = { init: initContainers.map(old), regular: pod.spec.containers.map(old) };
      const { init, regular } = over ? atEnd(now.init, now.regular, olds) : now;
      const previous = shown;
      shown = podStatusOf({
        ...{ pod, runtime: testRuntime(runtime), shown, waiting, failure: undefined, over, hostIPs: [] },
        probes: () => ({ started: true, ready: isReady }),
        ...{ startTime: "2023-06-01T00:00:00Z", now: new Date("2023-06-01T00:01:00Z") },
      });
      const seen = new Map(
        [...(shown.initContainerStatuses ?? []), ...(shown.containerStatuses ?? [])].map((one) => [one.name, one]),
      );
      const actual = [...initContainers, ...pod.spec.containers].map(({ name }) => {
        const one = seen.get(name);
        return [textOf(one?.state), textOf(one?.lastState), one?.restartCount];
      });
      const allReady = regular.every(([state]) => state === "running") && isReady && !isFinal;
      const ready = shown.conditions?.find(({ type }) => type === "Ready")?.status;
      const result = { phase: shown.phase, ready, containers: actual };
      const wanted = { phase, ready: allReady ? "True" : "False", containers: [...init, ...regular] };
      // An assertion for each of them would take most of the time.
      if (JSON.stringify(result) === JSON.stringify(wanted)) continue;
      const inputs = { sequence, n, policy: pod.spec.restartPolicy, runtime, waiting: [...waiting], previous };
      expect(result, JSON.stringify(inputs)).toEqual(wanted);
    }
    const { phase = "" } = shown;
    phases.set(phase, (phases.get(phase) ?? 0) + 1);
  }
  for (const phase of ["Succeeded", "Failed"]) expect(phases.get(phase)).toBeGreaterThan(50);
  expect(phases.size).toBe(2);
});
