import type { core } from "@orchernetes/api";
import type { ContainerObservation, PodRuntime } from "../runtime/pod-runtime.ts";
import type { PodFailure } from "../types/pod-failure.ts";
import type { ContainerRef } from "../types/pod-identity.ts";
import type { Refusal } from "../types/refusal.ts";
import type { PreparedVolume } from "../volumes/volume-manager.ts";
import type { PodSnapshot, PodState } from "./pod-state.ts";

/** What a pod worker learns. */
export type PodObservation = PodChange | { readonly type: "Due" } | EffectResult;

/** What comes from outside, at any time. */
export type PodChange =
  /** The pod as its source has it now. */
  | { readonly type: "Updated"; readonly pod: core.Pod }
  /** Its source no longer has it. */
  | { readonly type: "Removed" }
  /** The agent ends it as failed. */
  | { readonly type: "Failed"; readonly failure: PodFailure }
  /** Something about it may have changed. */
  | { readonly type: "Woken" };

/** The result of the effect that was under way. */
export type EffectResult =
  | { readonly type: "RuntimeRead"; readonly snapshot: PodSnapshot }
  | { readonly type: "Admitted" }
  | { readonly type: "Refused"; readonly refusal: Refusal }
  | { readonly type: "VolumesPrepared"; readonly volumes: ReadonlyMap<string, PreparedVolume> }
  | { readonly type: "VolumesFailed"; readonly message: string }
  /** A container could not be started. `retryInMs` undefined: after the usual time. */
  | {
      readonly type: "StartFailed";
      readonly reason: string;
      readonly message: string;
      readonly retryInMs: number | undefined;
    }
  /** Any other effect succeeded. */
  | { readonly type: "Done" }
  | { readonly type: "EffectFailed"; readonly error: unknown };

/** What a pod worker does. Of the actions of one transition at most one is an effect; it is the last. */
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
  /** The resources of a pod that ran before this agent are counted as taken. */
  | { readonly type: "GrantAdmission" }
  | { readonly type: "LogError"; readonly error: unknown }
  /** Aborts the effect under way; its result still comes. */
  | { readonly type: "Interrupt" }
  /** The round has ended; the next one is due in so many milliseconds. Replaces the wait before. */
  | { readonly type: "Wait"; readonly ms: number }
  | PodEffect;

/** Takes time, and ends with one {@link EffectResult}. */
export type PodEffect =
  /** `probes`: leaves the pod's probes as they are, lets those of the running containers run, or stops all. */
  | { readonly type: "ReadRuntime"; readonly pod: core.Pod | undefined; readonly probes: "keep" | "sync" | "stop" }
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
  /** `graceSeconds` undefined: the pod's own, or what is written on each container. */
  | {
      readonly type: "KillPod";
      readonly pod: core.Pod | undefined;
      readonly runtime: PodRuntime;
      readonly graceSeconds: number | undefined;
    }
  /** Removes volumes and control groups; files that status and logs are read from stay. */
  | { readonly type: "Release"; readonly runtime: PodRuntime }
  /** Waits until the last status was written. */
  | { readonly type: "FlushStatus" }
  /** Removes everything that is left of the pod on this node. */
  | { readonly type: "Clear"; readonly runtime: PodRuntime }
  /** Removes the pod from the API server. */
  | { readonly type: "DeletePod"; readonly pod: core.Pod };

/** The next state, and what is to be done, in order. */
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
