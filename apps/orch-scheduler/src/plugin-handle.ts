import type { Selector } from "@orchernetes/apimachinery";
import type { Client } from "@orchernetes/client";
import type { FeatureName } from "@orchernetes/component";
import type { Clock, Logger } from "@orchernetes/kernel";
import type { PodInfo } from "./cache/pod-info.ts";
import type { WaitingPods } from "./framework/waiting-pods.ts";
import type { PluginEventRecorder } from "./plugin-events.ts";
import type { Budgets } from "./plugins/default-preemption/disruption-budgets.ts";
import type { Namespaces } from "./plugins/inter-pod-affinity/term-matching.ts";
import type { ReserveVolumes } from "./volumes/reserve-volumes.ts";
import type { Volumes } from "./volumes/volumes.ts";

/** What plugins read of the cluster besides nodes and pods. */
export interface ClusterState {
  readonly namespaces: Namespaces;
  readonly volumes: Volumes;
  readonly reserveVolumes: ReserveVolumes;
  readonly budgets: Budgets;
  /** Selector of the pods of a pod's services and controller; undefined if there are none. */
  readonly selectorOf: (pod: PodInfo) => Selector | undefined;
  /** [0, 1). */
  readonly random: () => number;
}

/** What the scheduler gives to the plugins that it creates (upstream: `framework.Handle`). */
export interface PluginHandle {
  readonly cluster: ClusterState;
  /** Sends requests with the scheduler's identity; its writes are rejected when the scheduler no longer leads. */
  readonly client: Client;
  /** Records events, with the name of the profile as the reporter. */
  readonly eventRecorder: PluginEventRecorder;
  /** The pods that Permit holds. */
  readonly waitingPods: WaitingPods;
  /** Whether a feature gate is enabled. */
  readonly isEnabled: (feature: FeatureName) => boolean;
  /** Resources that an extender decides about instead of the filter NodeResourcesFit. @default none */
  readonly ignoredResources?: readonly string[];
  readonly logger: Logger;
  readonly clock: Clock;
}
