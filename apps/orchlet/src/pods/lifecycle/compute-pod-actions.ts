import type { core } from "@orchernetes/api";
import type { ContainerVerdict } from "../../probes/probe-manager.ts";
import { type ContainerObservation, latestContainer, type PodRuntime } from "../../runtime/pod-runtime.ts";
import { containerHash, mayStart } from "../../types/container.ts";
import type { ContainerKind } from "../../types/pod-identity.ts";

/** A step towards the desired state of a pod. */
export type PodAction =
  /**
   * Stops all containers of the pod, then its sandboxes. `graceSeconds` is undefined for the pod's own grace period.
   */
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

/** Whether the pod should run. */
type PodIntent =
  | { readonly type: "Run" }
  /** All of its containers and sandboxes should stop. */
  | { readonly type: "Terminate"; readonly graceSeconds?: number | undefined; readonly why: string };

/** The desired and the observed state of a pod. */
export interface PodActionsInput {
  readonly pod: core.Pod;
  readonly intent: PodIntent;
  readonly runtime: PodRuntime;
  /** Containers that failed a liveness or startup probe, by id. */
  readonly verdicts: ReadonlyMap<string, ContainerVerdict>;
  /** Milliseconds until a container may be started again, by name. 0 or absent means now. */
  readonly backoffMs: ReadonlyMap<string, number>;
  /**
   * Restart counts in the pod's status, by container name. Counts never decrease, even if the runtime has lost
   * containers.
   */
  readonly shownRestarts: ReadonlyMap<string, number>;
}

/** The steps of one round. */
export interface PodActions {
  readonly actions: readonly PodAction[];
  /** Containers that are in back-off, with the remaining milliseconds. */
  readonly backingOff: ReadonlyMap<string, number>;
}

const nothing: PodActions = Object.freeze({ actions: [], backingOff: new Map() });

/**
 * Decides which steps bring the runtime to the desired state of the pod. Pure. The steps must be performed in order. A
 * step that fails ends the round; the next round decides again from the state at that time.
 */
export function computePodActions(input: PodActionsInput): PodActions {
  const { intent, runtime } = input;
  if (intent.type === "Terminate") return terminate(runtime, intent);
  const sandbox = neededSandbox(input);
  if (sandbox !== undefined) return startInNewSandbox(input, sandbox.attempt);
  return continueRunning(input);
}

function terminate(runtime: PodRuntime, intent: Extract<PodIntent, { type: "Terminate" }>): PodActions {
  const alive =
    runtime.containers.some(({ phase }) => phase === "running" || phase === "unknown") ||
    runtime.sandboxes.some(({ ready }) => ready);
  if (!alive) return nothing;
  return { actions: [{ type: "KillPod", graceSeconds: intent.graceSeconds, why: intent.why }], backingOff: new Map() };
}

/** The attempt number of a new sandbox; undefined if the pod can use the newest one. */
function neededSandbox({ pod, runtime }: PodActionsInput): { readonly attempt: number } | undefined {
  const [newest, ...older] = runtime.sandboxes;
  if (newest === undefined) return { attempt: 0 };
  const attempt = newest.attempt + 1;
  const hostNetwork = pod.spec.hostNetwork === true;
  // With two ready sandboxes it is unknown in which of them containers run.
  const usable =
    newest.ready &&
    !older.some(({ ready }) => ready) &&
    newest.hostNetwork === hostNetwork &&
    (hostNetwork || newest.ips.length > 0);
  return usable ? undefined : { attempt };
}

const runs = (container: ContainerObservation | undefined): boolean => container?.phase === "running";

/** The steps that replace the sandbox, and with it all containers, or create the first one. */
function startInNewSandbox(input: PodActionsInput, attempt: number): PodActions {
  const { pod, runtime } = input;
  const { initContainers = [], containers, restartPolicy = "Always" } = pod.spec;
  const kill: readonly PodAction[] = runtime.sandboxes.length > 0 ? [{ type: "KillPod", why: "SandboxChanged" }] : [];
  // What still runs ends with its sandbox, but has not ended by itself.
  const isDone = ({ name }: core.Container) =>
    !runs(latestContainer(runtime, name)) && !mayStart(latestContainer(runtime, name), restartPolicy);
  const started = containers.some(({ name }) => latestContainer(runtime, name) !== undefined);
  // Without restarts, a pod that has run anything does not get a second sandbox, even if a container of it never ran.
  const isOver =
    restartPolicy === "Never"
      ? runtime.containers.length > 0
      : restartPolicy === "OnFailure" && started && containers.every(isDone);
  if (attempt > 0 && isOver) {
    const isAlive = runtime.sandboxes.some(({ ready }) => ready) || runtime.containers.some(runs);
    return isAlive ? { actions: [{ type: "KillPod", why: "Completed" }], backingOff: new Map() } : nothing;
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

/** The steps for a pod whose sandbox is usable. */
function continueRunning(input: PodActionsInput): PodActions {
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
    const { name, failed } = initStep;
    if (failed !== undefined && restartPolicy === "Never")
      return { actions: [{ type: "KillPod", why: "InitContainerFailed" }], backingOff };
    return { actions: [...actions, ...restartOrWait(input, "init", name, failed, backingOff)], backingOff };
  }

  const kills: PodAction[] = [];
  let kept = 0;
  let wanted = 0;
  for (const container of containers) {
    const latest = latestContainer(runtime, container.name);
    if (latest === undefined || latest.phase !== "running") {
      if (!mayStart(latest, restartPolicy)) continue;
      wanted += 1;
      actions.push(...restartOrWait(input, "regular", container.name, latest, backingOff));
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
    kills.push({
      type: "KillContainer",
      containerId: latest.id,
      name: container.name,
      message: restart ? `${verdict.message}, will be restarted` : verdict.message,
      graceSeconds: verdict.graceSeconds,
    });
    if (!restart) continue;
    wanted += 1;
    // As in the original, its own end is no crash: only that of the copy before it can make it wait.
    actions.push(...startOrWait(input, "regular", container.name, backingOff));
  }
  if (kept === 0 && wanted === 0 && kills.length === 0)
    return { actions: [{ type: "KillPod", why: "Completed" }], backingOff };
  return { actions: [...kills, ...actions], backingOff };
}

type InitStep =
  | { readonly type: "Done" }
  | { readonly type: "Wait" }
  /** `failed`: the copy that did not succeed. */
  | { readonly type: "Start"; readonly name: string; readonly failed: ContainerObservation | undefined };

/**
 * Init containers run one after the other. They are done once a regular container exists in the sandbox. One that ran after others tells that
 * these have succeeded, even if the runtime no longer has them: they must not run a second time.
 */
function nextInitStep(
  initContainers: readonly core.Container[],
  containers: readonly core.Container[],
  runtime: PodRuntime,
): InitStep {
  const sandboxId = runtime.sandboxes[0]?.id;
  const latestOf = (name: string) => runtime.containers.find((c) => c.name === name && c.sandboxId === sandboxId);
  const [first] = initContainers;
  if (first === undefined || containers.some(({ name }) => latestOf(name) !== undefined)) return { type: "Done" };
  const latest = initContainers.map(({ name }) => latestOf(name));
  const lastFailed = latest.findLast((one) => one !== undefined && hasFailed(one));
  if (lastFailed !== undefined) return { type: "Start", name: lastFailed.name, failed: lastFailed };
  const last = latest.findLastIndex((one) => one !== undefined && one.phase !== "created");
  if (latest[last]?.phase === "running") return { type: "Wait" };
  const next = initContainers[last + 1];
  return next === undefined ? { type: "Done" } : { type: "Start", name: next.name, failed: undefined };
}

/** Whether an init container has to run again, as far as the runtime knows. */
const hasFailed = ({ phase, exitCode }: ContainerObservation): boolean =>
  phase === "unknown" || (phase === "exited" && exitCode !== 0);

/**
 * The steps that start a container, which may have run before; none while it is in back-off. If the runtime does not know whether the
 * container runs, it is killed first, because two copies of it must not run at the same time. It is not killed before its back-off ends:
 * from then on the runtime reports it as exited, and a pod with restart policy Never would fail instead of starting it again.
 */
function restartOrWait(
  input: PodActionsInput,
  kind: "init" | "regular",
  name: string,
  latest: ContainerObservation | undefined,
  backingOff: Map<string, number>,
): readonly PodAction[] {
  const starts = startOrWait(input, kind, name, backingOff);
  if (latest?.phase !== "unknown" || starts.length === 0) return starts;
  const what = kind === "init" ? "Init container" : "Container";
  const message = `${what} is in "unknown" state, try killing it before restart`;
  return [{ type: "KillContainer", containerId: latest.id, name, message }, ...starts];
}

function startOrWait(
  input: PodActionsInput,
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

function start({ runtime, shownRestarts }: PodActionsInput, kind: ContainerKind, name: string): PodAction {
  const latest = latestContainer(runtime, name);
  const shown = shownRestarts.get(name) ?? 0;
  const own = latest === undefined ? 0 : latest.restartCount + 1;
  return { type: "StartContainer", kind, name, restartCount: Math.max(own, shown) };
}
