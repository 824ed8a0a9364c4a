import type { core } from "@orchernetes/api";
import { podPriority, systemCriticalPriority } from "@orchernetes/component-helpers";
import { isMirrorPod, isStaticPod } from "./pod-identity.ts";

/** Why a node does not run a pod that is bound to it. */
export interface Refusal {
  /** One word, such as `OutOfcpu` or `NodeAffinity`: the reason of the event and of the pod's status. */
  readonly reason: string;
  readonly message: string;
  /** Whether a newer state of the Node object could change the answer. */
  readonly dependsOnNode: boolean;
}

/** Whether the node must run the pod even when it is short of resources: static pods and those of a system priority. */
export function isCriticalPod(pod: core.Pod): boolean {
  return isStaticPod(pod) || isMirrorPod(pod) || podPriority(pod.spec) >= systemCriticalPriority;
}
