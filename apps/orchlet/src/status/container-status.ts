import type { core } from "@orchernetes/api";
import { formatTime } from "@orchernetes/apimachinery";
import { assertNever } from "@orchernetes/kernel";
import {
  type ContainerObservation,
  latestContainer,
  type PodRuntime,
  previousContainer,
} from "../runtime/pod-runtime.ts";
import { mayStart } from "../types/container.ts";
import type { ContainerKind } from "../types/pod-identity.ts";

/** The reason and message of a container's waiting state. */
export interface WaitingReason {
  readonly reason: string;
  readonly message?: string | undefined;
}

/** Everything that determines the status of a container. */
export interface ContainerStatusInput {
  readonly kind: ContainerKind;
  readonly container: core.Container;
  readonly restartPolicy: NonNullable<core.PodSpec["restartPolicy"]>;
  readonly runtime: PodRuntime;
  /** Why the container does not run, if it is known. */
  readonly waiting: WaitingReason | undefined;
  /** The waiting reason otherwise: `ContainerCreating` or `PodInitializing`. */
  readonly defaultReason: string;
  /** Probe results of the running container. */
  readonly probes: { readonly started: boolean; readonly ready: boolean };
  /** The current status of the container, for information that the runtime no longer has. */
  readonly shown: core.ContainerStatus | undefined;
  /** Maximum size of a termination message, in bytes. */
  readonly messageBytes: number;
  /** Whether the pod was deleted: no further containers are started. */
  readonly isDeleted: boolean;
}

/** The status of one container. Pure. */
export function containerStatusOf(input: ContainerStatusInput): core.ContainerStatus {
  const { container, kind, runtime, shown, waiting, isDeleted } = input;
  const latest = latestContainer(runtime, container.name);
  const identity = {
    name: container.name,
    image: latest?.image || container.image || "",
    imageID: latest?.imageRef ?? shown?.imageID ?? "",
    restartCount: latest?.restartCount ?? shown?.restartCount ?? 0,
    ...(latest === undefined ? {} : { containerID: `containerd://${latest.id}` }),
  };
  const running = latest?.phase === "running";
  const startable = kind !== "ephemeral" && !isDeleted && mayRunAgain(input, latest);
  const reason = isDeleted ? undefined : waiting;
  const flags =
    kind === "regular"
      ? { ready: running && input.probes.ready, started: running && input.probes.started }
      : { ready: kind === "init" && latest?.phase === "exited" && latest.exitCode === 0 };
  const before = previousContainer(runtime, container.name);
  const lastState =
    latest === undefined
      ? (shown?.lastState ?? {})
      : before?.phase === "exited"
        ? { terminated: terminated(before, input.messageBytes) }
        : {};

  if (latest === undefined) return { ...identity, ...flags, ...missing(input, startable, lastState) };
  switch (latest.phase) {
    case "running":
      return {
        ...identity,
        ...flags,
        state: { running: { startedAt: timeOf(latest.startedAtMs) } },
        lastState,
      };
    case "exited":
      if (waiting !== undefined && startable)
        return {
          ...identity,
          ...flags,
          ...restarting({ terminated: terminated(latest, input.messageBytes) }, waiting),
        };
      return { ...identity, ...flags, state: { terminated: terminated(latest, input.messageBytes) }, lastState };
    case "unknown":
      // It ran, and does not run any more: as if it waited, its pod would become pending.
      if (shown?.state?.running !== undefined || shown?.state?.terminated?.reason === lostReason) {
        const state = { terminated: lostAtEnd };
        return {
          ...identity,
          ...flags,
          ...(waiting !== undefined && startable ? restarting(state, waiting) : { state, lastState }),
        };
      }
      return { ...identity, ...flags, state: { waiting: reason ?? {} }, lastState };
    case "created":
      return { ...identity, ...flags, state: { waiting: reason ?? {} }, lastState };
    default:
      return assertNever(latest.phase);
  }
}

/** The status of a container that has ended and cannot be started now. */
const restarting = (ended: core.ContainerState, waiting: WaitingReason) => ({ state: { waiting }, lastState: ended });

/** What a status says about which container it was. */
const wasContainer = (shown: core.ContainerStatus | undefined): Partial<core.ContainerStatus> => ({
  ...(shown?.image && { image: shown.image }),
  ...(shown?.containerID && { containerID: shown.containerID }),
});

/**
 * The status of a container that the runtime does not have. One that has terminated stays so, and one that ran counts as stopped: otherwise
 * its pod would become pending again.
 */
function missing(
  { shown, waiting, defaultReason, isDeleted }: ContainerStatusInput,
  startable: boolean,
  lastState: core.ContainerState,
): Pick<core.ContainerStatus, "state" | "lastState"> & Partial<core.ContainerStatus> {
  const { ready = false, restartCount = 0, state: before = {} } = shown ?? {};
  const state = { waiting: (isDeleted ? undefined : waiting) ?? { reason: defaultReason } };
  if (before.terminated !== undefined) {
    const ended = { terminated: before.terminated };
    if (waiting !== undefined && startable) return restarting(ended, waiting);
    return { ...wasContainer(shown), ready, state: ended, lastState };
  }
  if (before.running === undefined || lastState.terminated !== undefined) return { state, lastState };
  return { restartCount: restartCount + (isDeleted ? 0 : 1), state, lastState: { terminated: lostBefore } };
}

const lostReason = "ContainerStatusUnknown";
/** The end of a container that ran and that the runtime no longer knows, in the words of the original. */
const lost = (message: string): core.ContainerStateTerminated => ({
  exitCode: 137,
  reason: lostReason,
  message,
});
const lostBefore = lost(
  "The container could not be located when the pod was deleted.  The container used to be Running",
);
/** The end of a container of which the runtime knows nothing when its pod has terminated. */
export const lostAtEnd = lost("The container could not be located when the pod was terminated");

function mayRunAgain(input: ContainerStatusInput, latest: ContainerObservation | undefined): boolean {
  // With Always, init containers are restarted only if they failed; a successful one must not run again.
  const policy = input.kind === "init" && input.restartPolicy === "Always" ? "OnFailure" : input.restartPolicy;
  return mayStart(latest, policy);
}

/** Limit of a reason, which is a word of the runtime. */
const maxReasonBytes = 1024;

function terminated(container: ContainerObservation, messageBytes: number): core.ContainerStateTerminated {
  const { exitCode, reason, startedAtMs, finishedAtMs, id } = container;
  const message = cut(container.message, messageBytes);
  return {
    exitCode,
    reason: cut(reason, maxReasonBytes) || (exitCode === 0 ? "Completed" : "Error"),
    ...(message === "" ? {} : { message }),
    // A container that could not be started has the time 0 in the runtime, which is shown as 1970.
    startedAt: timeOf(startedAtMs),
    finishedAt: timeOf(finishedAtMs),
    containerID: `containerd://${id}`,
  };
}

/** Truncates a text to a number of bytes, at a character boundary. */
function cut(text: string, bytes: number): string {
  const all = Buffer.from(text);
  return all.length <= bytes
    ? text
    : all
        .subarray(0, bytes)
        .toString("utf8")
        .replace(/\uFFFD+$/, "");
}

const timeOf = (ms: number): string => formatTime(new Date(ms));
