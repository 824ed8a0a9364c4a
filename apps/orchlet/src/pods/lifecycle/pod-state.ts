import type { core } from "@orchernetes/api";
import { formatTime } from "@orchernetes/apimachinery";
import type { ContainerVerdict } from "../../probes/probe-manager.ts";
import { emptyRuntime, type PodRuntime } from "../../runtime/pod-runtime.ts";
import type { WaitingReason } from "../../status/container-status.ts";
import type { PodFailure, Refusal } from "../../types/pod-failure.ts";
import type { PodIdentity } from "../../types/pod-identity.ts";
import type { BackoffEntry, BackoffPolicy } from "../../util/backoff.ts";
import type { PreparedVolume } from "../../volumes/prepare-volume.ts";
import type { PodAction } from "./compute-pod-actions.ts";
import { type KillReason, terminationOf, unknownGraceSeconds } from "./termination.ts";

/**
 * The state of a pod's life cycle on this node: Starting → Syncing → Terminating → Terminated → Gone. A pod that is
 * deleted or rejected skips Syncing. A pod returns from Terminated to Terminating only if containers of it are found
 * running.
 */
export type PodState = StartingPod | SyncingPod | TerminatingPod | TerminatedPod | GonePod;

/** An instant on both clocks. */
export interface Now {
  /** Wall clock; may be set back. */
  readonly date: Date;
  /** Monotonic clock in milliseconds; only differences are meaningful. */
  readonly monotonicMs: number;
}

/** The time limits of the state machine. */
export interface PodPolicy {
  /** Maximum time between two rounds, in milliseconds. */
  readonly syncMs: number;
  /** Back-off between restarts of a crashing container. */
  readonly crash: BackoffPolicy;
}

/** Everything that the agent observed about a pod at one time. */
export interface PodSnapshot {
  readonly runtime: PodRuntime;
  /** Results of the probes of running containers, by container id. */
  readonly probes: ReadonlyMap<string, { readonly started: boolean; readonly ready: boolean }>;
  /** Containers that failed a liveness or startup probe, by id. */
  readonly verdicts: ReadonlyMap<string, ContainerVerdict>;
  readonly hostIPs: readonly string[];
  /** Reason why the node cannot apply the pod's security settings now. */
  readonly blocked: Refusal | undefined;
}

/** The data of all states except Gone. */
interface KnownPod {
  readonly identity: PodIdentity;
  readonly policy: PodPolicy;
  /** RFC 3339. */
  readonly startTime: string;
  /** The status that was set last; before that, the status that the pod had when the agent first saw it. */
  readonly status: core.PodStatus | undefined;
  /** Waiting reasons of containers that do not run, by name. */
  readonly waiting: ReadonlyMap<string, WaitingReason>;
  readonly snapshot: PodSnapshot;
  /** Milliseconds until the next round if this one fails. */
  readonly retryMs: number;
  /** Something changed during the round: the next one follows at once. */
  readonly woken: boolean;
}

/** No effect is in flight; the next round begins with `Due`. */
interface Idle {
  readonly type: "Idle";
}

/** The pod has not been admitted. */
export interface StartingPod extends KnownPod {
  readonly type: "Starting";
  readonly pod: core.Pod;
  readonly work: Idle | { readonly type: "ReadRuntime" } | { readonly type: "Admit" };
}

/** The pod was admitted, and its containers are kept running. */
export interface SyncingPod extends KnownPod {
  readonly type: "Syncing";
  readonly pod: core.Pod;
  /** Reason why the pod is not started in this round. */
  readonly blocked: Refusal | undefined;
  /** Back-off of crashing containers, by {@link containerKey}. */
  readonly crashes: ReadonlyMap<string, BackoffEntry>;
  /** Exit time of the crash for which the last BackOff event was recorded, by container name. */
  readonly announcedCrashes: ReadonlyMap<string, number>;
  /** Earliest time of the next start of a container whose start failed, by name; in monotonic milliseconds. */
  readonly notBeforeMs: ReadonlyMap<string, number>;
  readonly volumes: PodVolumes;
  readonly work: SyncWork;
}

/** The volumes of a pod. `failed` can be set together with `prepared`: an update of prepared volumes failed. */
interface PodVolumes {
  readonly prepared: { readonly volumes: ReadonlyMap<string, PreparedVolume>; readonly atMs: number } | undefined;
  readonly failed: { readonly atMs: number; readonly delayMs: number } | undefined;
}

/** The effect that a syncing pod waits for. */
export type SyncWork =
  | Idle
  /** The round's first look at the runtime. */
  | { readonly type: "ReadRuntime" }
  | { readonly type: "PrepareVolumes" }
  /** The first step of the plan needs the volumes. */
  | { readonly type: "PrepareForStep"; readonly plan: SyncPlan }
  /** The first step of the plan is being performed. */
  | { readonly type: "Step"; readonly plan: SyncPlan }
  /** Reads the result of a step; the steps of the plan follow. */
  | { readonly type: "ReadStep"; readonly plan: SyncPlan }
  /** Reads the result of the plan. */
  | { readonly type: "ReadResult"; readonly plan: SyncPlan };

/** The steps that a round has decided on. */
export interface SyncPlan {
  /** The pod at that time: later changes apply from the next round on. */
  readonly pod: core.Pod;
  /** The remaining steps; the one in flight is first. */
  readonly steps: readonly PodAction[];
  /** Remaining back-off of containers by name, in milliseconds. */
  readonly leftMs: ReadonlyMap<string, number>;
  /**
   * Whether the next round follows at once: the plan has steps other than container starts, which make further steps
   * possible.
   */
  readonly resyncNow: boolean;
}

/** The data of a pod that terminates or has terminated. */
interface EndingPod extends KnownPod {
  /** Undefined for an unknown pod whose remains in the runtime are removed. */
  readonly pod: core.Pod | undefined;
  readonly reason: KillReason;
  /** The pod was removed from its source. */
  readonly removed: boolean;
  readonly failure: PodFailure | undefined;
  /** It only decreases. */
  readonly graceSeconds: number;
  /** The source has the pod again: it is started when this one is gone. */
  readonly restart: core.Pod | undefined;
}

/** Containers are being killed. */
export interface TerminatingPod extends EndingPod {
  readonly type: "Terminating";
  readonly work:
    | Idle
    /** Waits for an interrupted effect. */
    | { readonly type: "Interrupted" }
    | { readonly type: "ReadRuntime" }
    | { readonly type: "KillPod" }
    | { readonly type: "ReadResult" };
}

/** No container of the pod runs; its resources are being released. */
export interface TerminatedPod extends EndingPod {
  readonly type: "Terminated";
  /** Its volumes and control groups were removed. */
  readonly released: boolean;
  /** Everything of it on this node was removed. */
  readonly cleared: boolean;
  readonly work:
    | Idle
    | { readonly type: "ReadRuntime" }
    | { readonly type: "Release" }
    | { readonly type: "FlushStatus" }
    | { readonly type: "Clear" }
    | { readonly type: "DeletePod" };
}

/** Nothing of the pod is left, and the worker ends. */
interface GonePod {
  readonly type: "Gone";
  readonly identity: PodIdentity;
  readonly status: core.PodStatus | undefined;
  /** The pod to start next under the same uid. */
  readonly restart: core.Pod | undefined;
}

/** Delay of the next round after the first failed one; it doubles with each further failure. */
export const initialRetryMs = 1000;

const idle: Idle = Object.freeze({ type: "Idle" });

/**
 * The state of a pod that the agent sees for the first time. Without `pod`, it is a pod that only the runtime knows.
 */
export function initialState(
  identity: PodIdentity,
  pod: core.Pod | undefined,
  policy: PodPolicy,
  now: Now,
): StartingPod | TerminatingPod {
  const known: KnownPod & { readonly work: Idle } = {
    identity,
    policy,
    startTime: pod?.status?.startTime ?? formatTime(now.date),
    status: pod?.status,
    waiting: new Map(),
    snapshot: {
      runtime: emptyRuntime(identity),
      probes: new Map(),
      verdicts: new Map(),
      hostIPs: [],
      blocked: undefined,
    },
    retryMs: initialRetryMs,
    woken: false,
    work: idle,
  };
  const removed = pod === undefined;
  const termination = terminationOf({ pod, removed, failure: undefined, status: known.status });
  if (pod !== undefined && termination === undefined) return { ...known, type: "Starting", pod };
  return {
    ...known,
    type: "Terminating",
    pod,
    removed,
    failure: undefined,
    restart: undefined,
    reason: termination?.reason ?? "Removed",
    graceSeconds: termination?.graceSeconds ?? unknownGraceSeconds,
  };
}
