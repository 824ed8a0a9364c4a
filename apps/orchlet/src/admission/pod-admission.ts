import type { core } from "@orchernetes/api";
import type { NodeHealth } from "../node/conditions.ts";
import type { Refusal } from "../types/refusal.ts";
import { refusalByFit } from "./node-fit.ts";
import { refusalByPressure } from "./node-pressure.ts";

/** Decides whether this node runs the pods that are bound to it. */
export interface PodAdmission {
  /**
   * Why the pod cannot run here, or undefined. Resources of an admitted pod count for the next one.
   *
   * @throws the error of reading the node again, if the answer depends on it; the signal's reason
   */
  admit(pod: core.Pod, signal: AbortSignal): Promise<Refusal | undefined>;
  /** Counts the resources of a running pod. */
  grant(uid: string): void;
  /** Frees the resources of the pod. */
  forget(uid: string): void;
  /** Why an admitted pod may not start yet: the node cannot apply its security settings. */
  blocked(pod: core.Pod): Refusal | undefined;
}

export interface PodAdmissionOptions {
  /** Pods of this node that have not terminated. */
  readonly active: () => readonly core.Pod[];
  /** The node as last observed. */
  readonly node: () => core.Node;
  /** Reads the node from the API server; undefined without an API server. */
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
      // The scheduler may have seen a label that the watch has not delivered yet, and a rejection is final.
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
