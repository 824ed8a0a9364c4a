import type { core } from "@orchernetes/api";
import type { ContainerVerdict } from "../probes/probe-manager.ts";
import { latestContainer, type PodRuntime } from "../runtime/pod-runtime.ts";
import { containerHash } from "../types/container-hash.ts";
import type { ContainerKind } from "../types/pod-identity.ts";
import { mayStart } from "../types/restart-policy.ts";

/** A step towards what a pod asks for. */
export type PodAction =
  /** Ends everything of the pod, sandboxes last. `graceSeconds` undefined: the pod's own. */
  | { readonly type: "KillPod"; readonly graceSeconds?: number | undefined; readonly why: string }
  | {
      readonly type: "KillContainer";
      readonly containerId: string;
      readonly name: string;
      readonly message: string;
      readonly graceSeconds?: number | undefined;
    }
  | { readonly type: "CreateSandbox"; readonly attempt: number }
  | {
      readonly type: "StartContainer";
      readonly kind: ContainerKind;
      readonly name: string;
      readonly restartCount: number;
    };

/** What is to become of the pod as a whole. */
type PodIntent =
  | { readonly type: "Run" }
  /** Everything of it has to end. */
  | { readonly type: "Terminate"; readonly graceSeconds?: number | undefined; readonly why: string };

export interface DecideInput {
  readonly pod: core.Pod;
  readonly intent: PodIntent;
  readonly runtime: PodRuntime;
  /** Containers, by id, that a probe has failed. */
  readonly verdicts: ReadonlyMap<string, ContainerVerdict>;
  /** Milliseconds until a container, by name, may be started again; 0 or absent: now. */
  readonly backoffMs: ReadonlyMap<string, number>;
  /** Restarts that the status already shows, by container name: counts never fall. */
  readonly shownRestarts: ReadonlyMap<string, number>;
}

export interface Decision {
  readonly actions: readonly PodAction[];
  /** Containers that wait for their back-off to pass, with the milliseconds left. */
  readonly backingOff: ReadonlyMap<string, number>;
}

const nothing: Decision = Object.freeze({ actions: [], backingOff: new Map() });

/**
 * What to do next so that the runtime comes to hold what the pod asks for. Pure. The actions are to be done in order; one that
 * fails ends the round, and the next round decides anew from what is there then.
 */
export function decide(input: DecideInput): Decision {
  const { intent, runtime } = input;
  if (intent.type === "Terminate") return terminate(runtime, intent);
  const sandbox = neededSandbox(input);
  if (sandbox !== undefined) return startAfresh(input, sandbox.attempt);
  return continueRunning(input);
}

function terminate(runtime: PodRuntime, intent: Extract<PodIntent, { type: "Terminate" }>): Decision {
  const alive =
    runtime.containers.some(({ phase }) => phase === "running" || phase === "unknown") ||
    runtime.sandboxes.some(({ ready }) => ready);
  if (!alive) return nothing;
  return { actions: [{ type: "KillPod", graceSeconds: intent.graceSeconds, why: intent.why }], backingOff: new Map() };
}

/** The attempt of a new sandbox, when the pod needs one. */
function neededSandbox({ pod, runtime }: DecideInput): { readonly attempt: number } | undefined {
  const [newest, ...older] = runtime.sandboxes;
  if (newest === undefined) return { attempt: 0 };
  const attempt = newest.attempt + 1;
  const hostNetwork = pod.spec.hostNetwork === true;
  const usable =
    newest.ready &&
    !older.some(({ ready }) => ready) &&
    newest.hostNetwork === hostNetwork &&
    (hostNetwork || newest.ips.length > 0);
  return usable ? undefined : { attempt };
}

function startAfresh(input: DecideInput, attempt: number): Decision {
  const { pod, runtime } = input;
  const { initContainers = [], containers, restartPolicy = "Always" } = pod.spec;
  const kill: readonly PodAction[] = runtime.sandboxes.length > 0 ? [{ type: "KillPod", why: "SandboxChanged" }] : [];
  const isDone = (container: core.Container) => !mayStart(latestContainer(runtime, container.name), restartPolicy);
  const started = containers.some(({ name }) => latestContainer(runtime, name) !== undefined);
  if (attempt > 0 && restartPolicy !== "Always" && started && containers.every(isDone)) {
    // All there was to do is done; a new sandbox would have nothing to run.
    return runtime.sandboxes.some(({ ready }) => ready) ? { actions: kill, backingOff: new Map() } : nothing;
  }
  const create: PodAction = { type: "CreateSandbox", attempt };
  const [firstInit] = initContainers;
  const first =
    firstInit !== undefined
      ? [{ kind: "init" as const, name: firstInit.name }]
      : containers.filter((c) => !isDone(c)).map(({ name }) => ({ kind: "regular" as const, name }));
  const backingOff = new Map<string, number>();
  const starts = first.flatMap(({ kind, name }) => startOrWait(input, kind, name, backingOff));
  return { actions: [...kill, create, ...starts], backingOff };
}

function continueRunning(input: DecideInput): Decision {
  const { pod, runtime, verdicts } = input;
  const { initContainers = [], containers, ephemeralContainers = [], restartPolicy = "Always" } = pod.spec;
  const backingOff = new Map<string, number>();
  const actions: PodAction[] = [];

  for (const { name } of ephemeralContainers) {
    if (latestContainer(runtime, name) === undefined) actions.push(start(input, "ephemeral", name));
  }

  const initStep = nextInitStep(initContainers, containers, runtime);
  if (initStep.type === "Wait") return { actions, backingOff };
  if (initStep.type === "Start") {
    if (initStep.failed && restartPolicy === "Never")
      return { actions: [{ type: "KillPod", why: "InitContainerFailed" }], backingOff };
    return { actions: [...actions, ...startOrWait(input, "init", initStep.name, backingOff)], backingOff };
  }

  let kept = 0;
  let wanted = 0;
  for (const container of containers) {
    const latest = latestContainer(runtime, container.name);
    if (latest === undefined || latest.phase !== "running") {
      if (!mayStart(latest, restartPolicy)) continue;
      wanted += 1;
      actions.push(...startOrWait(input, "regular", container.name, backingOff));
      continue;
    }
    const changed = latest.hash !== "" && latest.hash !== containerHash(container);
    const verdict: ContainerVerdict | undefined = changed
      ? { message: `Container ${container.name} definition changed` }
      : verdicts.get(latest.id);
    if (verdict === undefined) {
      kept += 1;
      continue;
    }
    const restart = changed || restartPolicy !== "Never";
    actions.push({
      type: "KillContainer",
      containerId: latest.id,
      name: container.name,
      message: restart ? `${verdict.message}, will be restarted` : verdict.message,
      graceSeconds: verdict.graceSeconds,
    });
    // Its next copy starts in the next round, when its end is known and its back-off counts.
    if (restart) wanted += 1;
  }
  if (kept === 0 && wanted === 0) {
    const kills = actions.some(({ type }) => type === "KillContainer");
    if (!kills) return { actions: [{ type: "KillPod", why: "Completed" }], backingOff };
  }
  return { actions, backingOff };
}

type InitStep =
  | { readonly type: "Done" }
  | { readonly type: "Wait" }
  | { readonly type: "Start"; readonly name: string; readonly failed: boolean };

/** Init containers run one after the other; once a regular container exists they are past. */
function nextInitStep(
  initContainers: readonly core.Container[],
  containers: readonly core.Container[],
  runtime: PodRuntime,
): InitStep {
  const sandboxId = runtime.sandboxes[0]?.id;
  const started = containers.some(({ name }) =>
    runtime.containers.some((c) => c.name === name && c.sandboxId === sandboxId),
  );
  if (initContainers.length === 0 || started) return { type: "Done" };
  for (const { name } of initContainers) {
    const latest = runtime.containers.find((c) => c.name === name && c.sandboxId === sandboxId);
    if (latest === undefined) return { type: "Start", name, failed: false };
    if (latest.phase === "running") return { type: "Wait" };
    if (latest.phase !== "exited") return { type: "Start", name, failed: false };
    if (latest.exitCode !== 0) return { type: "Start", name, failed: true };
  }
  return { type: "Done" };
}

function startOrWait(
  input: DecideInput,
  kind: ContainerKind,
  name: string,
  backingOff: Map<string, number>,
): readonly PodAction[] {
  const left = input.backoffMs.get(name) ?? 0;
  if (left > 0) {
    backingOff.set(name, left);
    return [];
  }
  return [start(input, kind, name)];
}

function start({ runtime, shownRestarts }: DecideInput, kind: ContainerKind, name: string): PodAction {
  const latest = latestContainer(runtime, name);
  const shown = shownRestarts.get(name) ?? 0;
  // A copy that was made and never started is replaced, not restarted.
  const own = latest === undefined ? 0 : latest.restartCount + (latest.phase === "created" ? 0 : 1);
  return { type: "StartContainer", kind, name, restartCount: Math.max(own, shown) };
}
