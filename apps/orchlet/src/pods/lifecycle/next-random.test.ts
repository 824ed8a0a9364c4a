import type { core } from "@orchernetes/api";
import { seededNumbers } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { emptyRuntime, latestContainer, type PodRuntime } from "../../runtime/pod-runtime.ts";
import { testContainer, testPod, testSandbox } from "../../testing/pods.ts";
import { next } from "./next.ts";
import { initialState, type Now, type PodState } from "./pod-state.ts";
import { type EffectResult, isEffect, type PodChange, type PodEffect, type PodObservation } from "./transition.ts";

const identity = { uid: "u1", name: "web", namespace: "default" };
const policy = { syncMs: 60_000, crash: { initialMs: 10_000, maxMs: 300_000 } };
const changeNames = ["update", "delete", "remove", "fail", "wake", "crash", "loseSandbox"] as const;
type ChangeName = (typeof changeNames)[number];
const ends: ReadonlySet<PodState["type"]> = new Set(["Terminating", "Terminated", "Gone"]);

/** A worker's shell and a runtime in memory, in which everything that can happen happens by chance. */
function createWorld(random: () => number) {
  const chance = (share: number): boolean => random() < share;
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  let nowMs = Date.parse("2026-01-01T00:00:00Z");
  let version = 0;
  let lastId = 0;
  let deletedGrace: number | undefined;
  let runtime: PodRuntime = emptyRuntime(identity);
  let effect: PodEffect | undefined;
  let waitMs = 0;
  let interrupted = false;
  /** The pod as its source has it; undefined: no more. */
  let source: core.Pod | undefined;
  let endsBy: number | undefined;
  const log: string[] = [];
  const counts = { cleared: 0, started: 0, startedVersion: -1 };

  const makePod = (): core.Pod =>
    testPod(
      { restartPolicy: "Always", terminationGracePeriodSeconds: 30 },
      {
        annotations: { version: String(++version) },
        ...(deletedGrace === undefined
          ? {}
          : { deletionTimestamp: "2026-01-01T00:00:00Z", deletionGracePeriodSeconds: deletedGrace }),
      },
    );
  const now = (): Now => ({ date: new Date(nowMs), monotonicMs: nowMs });
  source = makePod();
  let state: PodState = initialState(identity, source, policy, now());

  function observe(observation: PodObservation): void {
    const before = state;
    const result = next(state, observation, now());
    state = result.state;
    log.push(`${observation.type}: ${before.type} → ${state.type}`);
    checkOrder(before, state);
    for (const action of result.actions) {
      if (action.type === "Wait") waitMs = action.ms;
      if (action.type === "Interrupt") {
        expect(effect, "an interrupt has an effect to interrupt").toBeDefined();
        interrupted = true;
      }
      if (!isEffect(action)) continue;
      expect(effect, "one effect at a time").toBeUndefined();
      checkEffect(action);
      effect = action;
    }
  }

  function checkOrder(before: PodState, after: PodState): void {
    if (ends.has(before.type)) expect(ends.has(after.type), "a pod that ends never goes on").toBe(true);
    if (!("graceSeconds" in after) || !("graceSeconds" in before)) return;
    expect(after.graceSeconds ?? Number.POSITIVE_INFINITY, "a grace period only shrinks").toBeLessThanOrEqual(
      before.graceSeconds ?? Number.POSITIVE_INFINITY,
    );
  }

  function checkEffect(action: PodEffect): void {
    switch (action.type) {
      case "CreateSandbox":
      case "StartContainer":
      case "PrepareVolumes":
      case "Admit":
        expect(["Starting", "Syncing"], "nothing starts in a pod that ends").toContain(state.type);
        return;
      case "KillPod":
        if (!ends.has(state.type)) return;
        expect(action.graceSeconds).toBeLessThanOrEqual(endsBy ?? Number.POSITIVE_INFINITY);
        endsBy = action.graceSeconds;
        return;
      case "Clear":
        expect(counts.cleared, "a pod is removed once").toBe(0);
        expect(runtime.containers.some(({ phase }) => phase === "running")).toBe(false);
        return;
      default:
        return;
    }
  }

  function finishEffect(): void {
    const action = effect;
    if (action === undefined) return;
    effect = undefined;
    const result = interrupted && chance(0.7) ? error("interrupted") : perform(action);
    interrupted = false;
    observe(result);
  }

  const error = (message: string): EffectResult => ({ type: "EffectFailed", error: new Error(message) });

  function perform(action: PodEffect): EffectResult {
    if (chance(0.1)) return error("by chance");
    switch (action.type) {
      case "ReadRuntime":
        return {
          type: "RuntimeRead",
          snapshot: {
            runtime,
            probes: new Map(runtime.containers.map(({ id }) => [id, { started: true, ready: chance(0.5) }])),
            verdicts: chance(0.2) ? new Map(runtime.containers.map(({ id }) => [id, { message: "m" }])) : new Map(),
            hostIPs: ["127.0.0.1"],
            blocked: undefined,
          },
        };
      case "Admit":
        if (!chance(0.1)) return { type: "Admitted" };
        return { type: "Refused", refusal: { reason: "R", message: "m", dependsOnNode: false } };
      case "PrepareVolumes":
        return chance(0.2) ? { type: "VolumesFailed", message: "no" } : { type: "VolumesPrepared", volumes: new Map() };
      case "CreateSandbox":
        runtime = {
          ...runtime,
          sandboxes: [testSandbox({ id: `s${++lastId}`, attempt: action.attempt }), ...runtime.sandboxes],
        };
        return { type: "Done" };
      case "StartContainer": {
        if (chance(0.2)) return { type: "StartFailed", reason: "ErrImagePull", message: "no", retryInMs: undefined };
        const { name } = action.ref.container;
        const { restartCount } = action;
        const before = latestContainer(runtime, name);
        if (before !== undefined)
          expect(restartCount, "a copy that exited counts").toBeGreaterThan(before.restartCount);
        counts.started += 1;
        counts.startedVersion = Number(action.pod.metadata.annotations?.version);
        const made = { id: `c${++lastId}`, name, sandboxId: runtime.sandboxes[0]?.id ?? "", restartCount };
        runtime = { ...runtime, containers: [testContainer(action.pod, made), ...runtime.containers] };
        return { type: "Done" };
      }
      case "KillContainer":
        end(({ id }) => id === action.container.id);
        return { type: "Done" };
      case "KillPod":
        end(() => true);
        runtime = { ...runtime, sandboxes: runtime.sandboxes.map((sandbox) => ({ ...sandbox, ready: false })) };
        return { type: "Done" };
      case "Clear":
        counts.cleared += 1;
        runtime = emptyRuntime(identity);
        return { type: "Done" };
      case "DeletePod":
        if (source !== undefined && !chance(0.2)) remove();
        return { type: "Done" };
      case "Release":
      case "FlushStatus":
        return { type: "Done" };
    }
  }

  function end(which: (container: PodRuntime["containers"][number]) => boolean): void {
    runtime = {
      ...runtime,
      containers: runtime.containers.map((container) =>
        container.phase === "running" && which(container)
          ? { ...container, phase: "exited", exitCode: 1, finishedAtMs: nowMs }
          : container,
      ),
    };
  }

  const change = (to: PodChange): void => observe(to);
  function remove(): void {
    source = undefined;
    change({ type: "Removed" });
  }
  const changes: Readonly<Record<ChangeName, () => void>> = {
    update() {
      source = makePod();
      change({ type: "Updated", pod: source });
    },
    delete() {
      deletedGrace = pick([0, 1, 5, 30, 90]);
      source = makePod();
      change({ type: "Updated", pod: source });
    },
    remove,
    fail: () =>
      change({ type: "Failed", failure: { reason: "Evicted", message: "m", graceSeconds: pick([undefined, 0, 9]) } }),
    wake: () => change({ type: "Woken" }),
    crash: () => end(() => true),
    loseSandbox: () => {
      end(() => true);
      runtime = { ...runtime, sandboxes: runtime.sandboxes.map((sandbox) => ({ ...sandbox, ready: false })) };
    },
  };

  return {
    log,
    counts,
    get state() {
      return state;
    },
    get source() {
      return source;
    },
    get runtime() {
      return runtime;
    },
    isBusy: () => effect !== undefined,
    change: (name: ChangeName) => changes[name](),
    /** The effect under way ends, or the wait. */
    step(): void {
      if (state.type === "Gone") return;
      if (effect === undefined) {
        nowMs += waitMs;
        observe({ type: "Due" });
      } else finishEffect();
    },
  };
}

/** Only the last phase of a run: everything works, and nothing changes. */
const calm = () => 0.99;

test.each(Array.from({ length: 100 }, (_, seed) => seed))(
  "whatever happens, a pod's life keeps its rules (%i)",
  (seed) => {
    const whole = seededNumbers(seed);
    const numbers = () => whole(1_000_000) / 1_000_000;
    let random: () => number = numbers;
    // Every second pod is never ended by its source.
    const names =
      seed % 2 === 0 ? changeNames : changeNames.filter((name) => !["delete", "remove", "fail"].includes(name));
    const world = createWorld(() => random());
    try {
      for (let i = 0; i < 200 && world.state.type !== "Gone"; i++) {
        if (numbers() < 0.15) world.change(names[Math.floor(numbers() * names.length)] ?? "wake");
        else world.step();
      }
      random = calm;
      world.change("wake");
      for (let i = 0; i < 150 || world.isBusy(); i++) world.step();
      checkEnd(world);
    } catch (error) {
      throw new Error(`${world.log.slice(-40).join("\n")}`, { cause: error });
    }
  },
);

/** When nothing changes any more, the last thing that was heard of the pod counts. */
function checkEnd({ state, source, runtime, counts }: ReturnType<typeof createWorld>): void {
  const alive = runtime.containers.filter(({ phase }) => phase === "running").length;
  switch (state.type) {
    case "Gone":
      expect([counts.cleared, alive]).toEqual([1, 0]);
      expect(state.restart, "what its source has again is handed on").toBe(source);
      return;
    case "Terminated":
      expect(source, "a pod that its source does not have is gone in the end").toBeDefined();
      expect(alive).toBe(0);
      return;
    case "Syncing":
      expect(source?.metadata.deletionTimestamp, "a deleted pod ends").toBeUndefined();
      expect(state.pod, "no update is lost").toBe(source);
      expect(alive, "a pod that goes on runs").toBe(1);
      return;
    default:
      throw new Error(`the pod is left in state ${state.type}`);
  }
}
