import type { core } from "@orchernetes/api";
import type { NodeHealth } from "../node/conditions.ts";
import { refusalByFit } from "./node-fit.ts";
import { refusalByPressure } from "./node-pressure.ts";
import type { Refusal } from "./refusal.ts";

/** Decides whether this node runs the pods that are bound to it. */
export interface PodAdmission {
  /**
   * Why the pod cannot run here, or undefined. What is granted to one pod counts for the next.
   *
   * @throws what reading the node afresh threw, when the answer depends on it; the signal's reason
   */
  admit(pod: core.Pod, signal: AbortSignal): Promise<Refusal | undefined>;
  /** Counts a pod that runs already. */
  grant(uid: string): void;
  /** What was granted to the pod is free again. */
  forget(uid: string): void;
  /** Why a pod that was admitted has to wait: the node cannot confine it as it asks for. */
  blocked(pod: core.Pod): Refusal | undefined;
}

export interface PodAdmissionOptions {
  /** Pods of this node that have not ended. */
  readonly active: () => readonly core.Pod[];
  /** The node as it was seen last. */
  readonly node: () => core.Node;
  /** The node as the API server has it now; undefined when there is no API server. */
  readonly freshNode: (signal: AbortSignal) => Promise<core.Node | undefined>;
  readonly pressure: () => NodeHealth["pressure"];
  readonly sysctls: (pod: core.Pod) => Refusal | undefined;
  readonly appArmor: (pod: core.Pod) => Refusal | undefined;
}

export function createPodAdmission(options: PodAdmissionOptions): PodAdmission {
  const granted = new Set<string>();

  /** Not to be made asynchronous: two pods at once could both be granted what is left. */
  const attempt = (pod: core.Pod, node: core.Node): Refusal | undefined => {
    const refusal =
      refusalByPressure(pod, options.pressure()) ??
      options.sysctls(pod) ??
      refusalByFit(pod, othersOf(pod, options.active(), granted), node);
    if (refusal === undefined) granted.add(pod.metadata.uid ?? "");
    return refusal;
  };

  return {
    async admit(pod, signal) {
      const refusal = attempt(pod, options.node());
      if (refusal === undefined || !refusal.dependsOnNode) return refusal;
      // The scheduler may have seen a label that the watch has not brought yet; a refusal is final.
      const fresh = await options.freshNode(signal);
      return fresh === undefined ? refusal : attempt(pod, fresh);
    },
    grant: (uid) => void granted.add(uid),
    forget: (uid) => void granted.delete(uid),
    blocked: (pod) => options.appArmor(pod),
  };
}

/** Pods that hold resources: those admitted, and those that an earlier run of the agent has started. */
function othersOf(pod: core.Pod, active: readonly core.Pod[], granted: ReadonlySet<string>): readonly core.Pod[] {
  return active.filter(
    ({ metadata: { uid = "" }, status }) =>
      uid !== pod.metadata.uid && (granted.has(uid) || status?.startTime !== undefined),
  );
}
