import type { core } from "@orchernetes/api";
import { formatTime } from "@orchernetes/apimachinery";
import type { ContainerVerdict } from "../probes/probe-manager.ts";
import { emptyRuntime, type PodRuntime } from "../runtime/pod-runtime.ts";
import type { WaitingReason } from "../status/container-status.ts";
import type { PodFailure } from "../types/pod-failure.ts";
import type { PodIdentity } from "../types/pod-identity.ts";
import type { Refusal } from "../types/refusal.ts";
import type { BackoffEntry, BackoffPolicy } from "../util/backoff.ts";
import type { PreparedVolume } from "../volumes/volume-manager.ts";
import type { PodAction } from "./decide.ts";
import { type KillReason, terminationOf } from "./termination.ts";

/**
 * Where a pod is in its life on this node. It only moves forward: Starting → Syncing → Terminating → Terminated → Gone; a pod
 * that is deleted or refused skips Syncing. From Terminated a pod goes back to Terminating only to end what still runs.
 */
export type PodState = StartingPod | SyncingPod | TerminatingPod | TerminatedPod | GonePod;

/** An instant, as both clocks show it. */
export interface Now {
  /** Time of day; may be set back. */
  readonly date: Date;
  /** Milliseconds that never run backwards; only differences mean something. */
  readonly monotonicMs: number;
}

/** Times that the states go by. */
export interface PodPolicy {
  /** Longest time between two rounds, in milliseconds. */
  readonly syncMs: number;
  /** Back-off between restarts of a crashing container. */
  readonly crash: BackoffPolicy;
}

/** What the agent has read about a pod at one time. */
export interface PodSnapshot {
  readonly runtime: PodRuntime;
  /** Results of the probes of running containers, by container id. */
  readonly probes: ReadonlyMap<string, { readonly started: boolean; readonly ready: boolean }>;
  /** Containers, by id, that a probe has failed. */
  readonly verdicts: ReadonlyMap<string, ContainerVerdict>;
  readonly hostIPs: readonly string[];
  /** Why the node cannot apply the pod's security settings now. */
  readonly blocked: Refusal | undefined;
}

/** What every state but Gone holds. */
interface KnownPod {
  readonly identity: PodIdentity;
  readonly policy: PodPolicy;
  /** RFC 3339. */
  readonly startTime: string;
  /** The status that was set last; before the first one, the status that the pod came with. */
  readonly status: core.PodStatus | undefined;
  /** Why containers, by name, do not run. */
  readonly waiting: ReadonlyMap<string, WaitingReason>;
  readonly snapshot: PodSnapshot;
  /** Milliseconds until the next round if this one fails. */
  readonly retryMs: number;
  /** Something changed during the round: the next one follows at once. */
  readonly woken: boolean;
}

/** No effect is under way; the next round begins with `Due`. */
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
  /** Why the pod is not started in this round. */
  readonly blocked: Refusal | undefined;
  /** Back-off of crashing containers, by {@link containerKey}. */
  readonly crashes: ReadonlyMap<string, BackoffEntry>;
  /** End of the crash that the last BackOff event of a container was about, by container name. */
  readonly announcedCrashes: ReadonlyMap<string, number>;
  /** When a container whose start failed may be started again, by name; monotonic milliseconds. */
  readonly notBeforeMs: ReadonlyMap<string, number>;
  readonly volumes: PodVolumes;
  readonly work: SyncWork;
}

/** Volumes of a pod; `failed` also while volumes that were prepared earlier could not be updated. */
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
  /** The first of the plan's steps needs the volumes. */
  | { readonly type: "PrepareForStep"; readonly plan: SyncPlan }
  /** The first of the plan's steps is carried out. */
  | { readonly type: "Step"; readonly plan: SyncPlan }
  /** Looks at the result of a step; the plan's steps follow. */
  | { readonly type: "ReadStep"; readonly plan: SyncPlan }
  /** Looks at the result of the plan. */
  | { readonly type: "ReadResult"; readonly plan: SyncPlan };

/** The steps that a round has decided on. */
export interface SyncPlan {
  /** The pod as it was then: a change in between counts from the next round on. */
  readonly pod: core.Pod;
  /** The steps that are left, the one under way first. */
  readonly steps: readonly PodAction[];
  /** Milliseconds that containers have to wait, by name. */
  readonly leftMs: ReadonlyMap<string, number>;
  /** Something other than a container's start is among the steps: it may make room for the next ones. */
  readonly moves: boolean;
}

/** What a pod that ends holds. */
interface EndingPod extends KnownPod {
  /** Undefined when only what is left of a pod in the runtime is removed. */
  readonly pod: core.Pod | undefined;
  readonly reason: KillReason;
  /** The pod was removed from its source. */
  readonly removed: boolean;
  readonly failure: PodFailure | undefined;
  /** Undefined: what is written on each container. Once known it only shrinks. */
  readonly graceSeconds: number | undefined;
  /** The source has the pod again: it is started anew when this one is gone. */
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

/** Nothing of the pod runs; what it held is given back. */
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

export const initialRetryMs = 1000;

const idle: Idle = Object.freeze({ type: "Idle" });

/** A pod that the agent has just learned of; without `pod`, what is left of one in the runtime. */
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
    graceSeconds: termination?.graceSeconds,
  };
}
