import type { core } from "@orchernetes/api";
import type { ResourceManager } from "../container-manager/resource-manager/resource-manager.ts";
import type { NodeHealth } from "../node/conditions.ts";
import type { Refusal } from "../types/pod-failure.ts";
import { isCriticalPod, isStaticPod } from "../types/pod-identity.ts";
import { chooseVictims, shortageText } from "./choose-victims.ts";
import { type FitRefusal, refusalsByFit, type Shortage } from "./node-fit.ts";
import { refusalByPressure } from "./node-pressure.ts";

/** Decides whether this node runs the pods that are bound to it. */
export interface PodAdmission {
  /**
   * Why the pod cannot run here, or undefined. Resources of an admitted pod count for the next one. Pods of lower priority are
   * evicted for a critical one, which is admitted when they have ended.
   *
   * @throws the error of reading the node again, if the answer depends on it and is not that a static pod is admitted; the signal's
   * reason
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
  /** Why the node starts no pod at all now. @default it does */
  readonly closed?: () => Refusal | undefined;
  readonly sysctls: (pod: core.Pod) => Refusal | undefined;
  readonly appArmor: (pod: core.Pod) => Refusal | undefined;
  /** Allocates resources that belong to one container at a time. @default there are none */
  readonly resources?: Pick<ResourceManager, "admit" | "release">;
  /**
   * Evicts a pod to make room for a critical one. Resolves when nothing of it runs, or it has had its time; never rejects.
   *
   * @param resource the first that is short
   */
  readonly preempt: (victim: core.Pod, resource: string) => Promise<void>;
}

/** Whether an attempt may evict other pods. */
type Preemption = "Never" | "IfCritical";

export function createPodAdmission(options: PodAdmissionOptions): PodAdmission {
  const granted = new Set<string>();
  /** Resolves when the victims of the pod that was admitted last have ended. */
  let makingRoom: Promise<void> | undefined;

  const refusalByState = (pod: core.Pod): Refusal | undefined =>
    options.closed?.() ?? refusalByPressure(pod, options.pressure()) ?? options.sysctls(pod);

  /** Not to be made asynchronous: two pods at once could both be granted what is left. */
  const attempt = (pod: core.Pod, node: core.Node, preemption: Preemption): Refusal | undefined => {
    const others = othersOf(pod, options.active(), granted);
    const refusal = refusalByState(pod) ?? afterPreemption(pod, others, refusalsByFit(pod, others, node), preemption);
    if (refusal === undefined) granted.add(pod.metadata.uid ?? "");
    return refusal;
  };

  /** What is left of the reasons against a pod: a shortage is no reason against a critical one, if evictions end it. */
  const afterPreemption = (
    pod: core.Pod,
    others: readonly core.Pod[],
    refusals: readonly FitRefusal[],
    preemption: Preemption,
  ): Refusal | undefined => {
    if (refusals.length === 0 || preemption === "Never" || !isCriticalPod(pod)) return refusals[0];
    const other = refusals.find(({ shortage }) => shortage === undefined);
    if (other !== undefined) return other;
    const shortages = refusals.flatMap(({ shortage }) => shortage ?? []);
    const choice = chooseVictims(pod, others, shortages);
    if (choice.type === "TooLittle") return unrecovered(choice.missing);
    makingRoom = preemptAll(choice.victims, shortages[0]?.resource ?? "").finally(() => {
      makingRoom = undefined;
    });
    return undefined;
  };

  const preemptAll = async (victims: readonly core.Pod[], resource: string): Promise<void> => {
    for (const victim of victims) await options.preempt(victim, resource);
  };

  /** Until the room that a critical pod was given is free, a pod that fits then must not be rejected for good. */
  const roomMade = async (signal: AbortSignal): Promise<void> => {
    while (makingRoom !== undefined) await unlessAborted(makingRoom, signal);
  };

  const decide = async (
    pod: core.Pod,
    node: core.Node | undefined,
    preemption: Preemption,
    signal: AbortSignal,
  ): Promise<Refusal | undefined> => {
    // Not by `roomMade`: of two pods that wait, the first may begin to make room between its end and the attempt of the second.
    while (makingRoom !== undefined) await unlessAborted(makingRoom, signal);
    if (options.resources !== undefined) {
      const refusal = refusalByState(pod) ?? (await options.resources.admit(pod, signal));
      if (refusal !== undefined) return refusal;
      while (makingRoom !== undefined) await unlessAborted(makingRoom, signal);
    }
    return attempt(pod, node ?? options.node(), preemption);
  };

  const admit = async (pod: core.Pod, signal: AbortSignal): Promise<Refusal | undefined> => {
    const refusal = await decide(pod, undefined, "Never", signal);
    if (refusal === undefined || !refusal.dependsOnNode) return refusal;
    // The scheduler may have seen a label that the watch has not delivered yet, and a rejection is final.
    let fresh: core.Node | undefined;
    let unread: { readonly error: unknown } | undefined;
    try {
      fresh = await options.freshNode(signal);
    } catch (error) {
      // A static pod may be the API server, which then waited for itself.
      if (!isStaticPod(pod) || signal.aborted) throw error;
      unread = { error };
    }
    const second = await decide(pod, fresh, "IfCritical", signal);
    if (second !== undefined && unread !== undefined) throw unread.error;
    if (second === undefined) await roomMade(signal);
    return second;
  };

  return {
    async admit(pod, signal) {
      let isAdmitted = false;
      try {
        const refusal = await admit(pod, signal);
        isAdmitted = refusal === undefined;
        return refusal;
      } finally {
        if (!isAdmitted) options.resources?.release(pod.metadata.uid ?? "");
      }
    },
    grant: (uid) => void granted.add(uid),
    forget: (uid) => void granted.delete(uid),
    blocked: (pod) => options.appArmor(pod),
  };
}

const unrecovered = (missing: readonly Shortage[]): Refusal => ({
  reason: "UnexpectedAdmissionError",
  message:
    "Unexpected error while attempting to recover from admission failure: preemption: error finding a set of pods to preempt: " +
    `no set of running pods found to reclaim resources: ${shortageText(missing)}`,
  dependsOnNode: false,
});

/** @throws the signal's reason */
async function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** Pods that hold resources: those admitted, and those that an earlier run of the agent has started. */
function othersOf(pod: core.Pod, active: readonly core.Pod[], granted: ReadonlySet<string>): readonly core.Pod[] {
  return active.filter(
    ({ metadata: { uid = "" }, status }) =>
      uid !== pod.metadata.uid && (granted.has(uid) || status?.startTime !== undefined),
  );
}
