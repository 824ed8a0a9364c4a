import type { core } from "@orchernetes/api";
import type { ContainerObservation, PodRuntime } from "../../runtime/pod-runtime.ts";
import type { PodFailure, Refusal } from "../../types/pod-failure.ts";
import type { ContainerRef } from "../../types/pod-identity.ts";
import type { PreparedVolume } from "../../volumes/prepare-volume.ts";
import type { PodSnapshot, PodState } from "./pod-state.ts";

/** An input of the state machine. `Due` begins a round. */
export type PodObservation = PodChange | { readonly type: "Due" } | EffectResult;

/** A change from outside, which may arrive at any time. */
export type PodChange =
  /** The source has a new version of the pod. */
  | { readonly type: "Updated"; readonly pod: core.Pod }
  /** The source no longer has the pod. */
  | { readonly type: "Removed" }
  /** The agent fails the pod. */
  | { readonly type: "Failed"; readonly failure: PodFailure }
  /** Something about the pod may have changed. */
  | { readonly type: "Woken" };

/** The result of the effect in flight. */
export type EffectResult =
  | { readonly type: "RuntimeRead"; readonly snapshot: PodSnapshot }
  | { readonly type: "Admitted" }
  | { readonly type: "Refused"; readonly refusal: Refusal }
  | { readonly type: "VolumesPrepared"; readonly volumes: ReadonlyMap<string, PreparedVolume> }
  | { readonly type: "VolumesFailed"; readonly message: string }
  /** A container could not be started. `retryInMs` is undefined for the usual delay. */
  | {
      readonly type: "StartFailed";
      readonly reason: string;
      readonly message: string;
      readonly retryInMs: number | undefined;
    }
  /** Any other effect succeeded. */
  | { readonly type: "Done" }
  | { readonly type: "EffectFailed"; readonly error: unknown };

/** An output of the state machine. A transition has at most one effect, which is its last action. */
export type PodWorkerAction =
  | { readonly type: "SetStatus"; readonly pod: core.Pod; readonly status: core.PodStatus }
  | {
      readonly type: "RecordEvent";
      readonly pod: core.Pod;
      /** Name of the container that the event is about. */
      readonly container?: string;
      readonly eventType: "Normal" | "Warning";
      readonly reason: string;
      readonly message: string;
    }
  /** Counts the resources of a pod that an earlier agent started as used. */
  | { readonly type: "GrantAdmission" }
  | { readonly type: "LogError"; readonly error: unknown }
  /** Aborts the effect in flight; its result still arrives. */
  | { readonly type: "Interrupt" }
  /** The round has ended, and the next one is due in `ms` milliseconds. Replaces the previous wait. */
  | { readonly type: "Wait"; readonly ms: number }
  | PodEffect;

/** An action that takes time, and has one {@link EffectResult}. */
export type PodEffect =
  /**
   * `probes`: keeps the pod's probes unchanged, runs the probes of its running containers, stops all but the readiness probes of those
   * that still run, or stops all of them. `listed`: what the runtime's list of all pods shows is enough, if it is newer than all that was done to the pod. @default false
   */
  | {
      readonly type: "ReadRuntime";
      readonly pod: core.Pod | undefined;
      readonly probes: "keep" | "sync" | "readiness" | "stop";
      readonly listed?: boolean;
    }
  | { readonly type: "Admit"; readonly pod: core.Pod }
  | { readonly type: "PrepareVolumes"; readonly pod: core.Pod; readonly runtime: PodRuntime }
  | { readonly type: "CreateSandbox"; readonly pod: core.Pod; readonly attempt: number }
  | {
      readonly type: "StartContainer";
      readonly pod: core.Pod;
      readonly ref: ContainerRef;
      readonly restartCount: number;
      readonly runtime: PodRuntime;
      readonly volumes: ReadonlyMap<string, PreparedVolume>;
    }
  | {
      readonly type: "KillContainer";
      readonly pod: core.Pod;
      readonly container: ContainerObservation;
      readonly graceSeconds: number | undefined;
      readonly message: string;
    }
  /** `graceSeconds` is undefined for the pod's own grace period, or the annotation of each container. */
  | {
      readonly type: "KillPod";
      readonly pod: core.Pod | undefined;
      readonly runtime: PodRuntime;
      readonly graceSeconds: number | undefined;
    }
  /** Removes volumes and control groups; the files of status and logs stay. */
  | { readonly type: "Release"; readonly runtime: PodRuntime }
  /** Waits until the last status was written. */
  | { readonly type: "FlushStatus" }
  /** Removes everything of the pod from this node. */
  | { readonly type: "Clear"; readonly runtime: PodRuntime }
  /** Removes the pod from the API server. */
  | { readonly type: "DeletePod"; readonly pod: core.Pod };

/** The next state, and the actions in the order in which they must be performed. */
export interface Transition {
  readonly state: PodState;
  readonly actions: readonly PodWorkerAction[];
}

const effectTypes: ReadonlySet<string> = new Set<PodEffect["type"]>([
  "ReadRuntime",
  "Admit",
  "PrepareVolumes",
  "CreateSandbox",
  "StartContainer",
  "KillContainer",
  "KillPod",
  "Release",
  "FlushStatus",
  "Clear",
  "DeletePod",
]);

/** Whether an action takes time and ends with a result. */
export const isEffect = (action: PodWorkerAction): action is PodEffect => effectTypes.has(action.type);
