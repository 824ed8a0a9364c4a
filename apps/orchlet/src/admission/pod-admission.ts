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
   * Decides whether the pod may run on this node. The resources of an admitted pod are in use from now on. A critical pod preempts
   * pods of lower priority if resources are short; it is admitted when they have terminated.
   *
   * @returns why the pod is rejected; undefined if it is admitted
   * @throws the error of reading the Node again, for a pod that is not static and whose result depends on it; the signal's reason
   */
  admit(pod: core.Pod, signal: AbortSignal): Promise<Refusal | undefined>;
  /** Counts the resources of a running pod. */
  grant(uid: string): void;
  /** Frees the resources of the pod. */
  forget(uid: string): void;
  /** Why an admitted pod may not start yet: the node cannot apply its security settings. */
  blocked(pod: core.Pod): Refusal | undefined;
}

/** The options of {@link createPodAdmission}. */
export interface PodAdmissionOptions {
  /**
   * Pods of this node that have not terminated: those that an earlier agent has started, and those with the given uids.
   *
   * @param granted uids of the pods that were admitted
   */
  readonly active: (granted: ReadonlySet<string>) => readonly core.Pod[];
  /** The node as last observed. */
  readonly node: () => core.Node;
  /** Reads the node from the API server; undefined without an API server. */
  readonly freshNode: (signal: AbortSignal) => Promise<core.Node | undefined>;
  readonly pressure: () => NodeHealth["pressure"];
  /** Why the node starts no pods at the moment. @default it always starts pods */
  readonly closed?: () => Refusal | undefined;
  readonly sysctls: (pod: core.Pod) => Refusal | undefined;
  readonly appArmor: (pod: core.Pod) => Refusal | undefined;
  /** Allocates resources that belong to one container at a time. @default there are none */
  readonly resources?: Pick<ResourceManager, "admit" | "release">;
  /**
   * Preempts a pod for a critical one. Resolves when none of its containers runs, or its time is over; never rejects.
   *
   * @param resource the first resource that is short
   */
  readonly preempt: (victim: core.Pod, resource: string) => Promise<void>;
}

/** Whether an attempt may evict other pods. */
type Preemption = "Never" | "IfCritical";

/** Creates the admission of this node's pods. */
export function createPodAdmission(options: PodAdmissionOptions): PodAdmission {
  const granted = new Set<string>();
  /** Resolves when the victims of the last preemption have terminated. */
  let makingRoom: Promise<void> | undefined;

  const refusalByState = (pod: core.Pod): Refusal | undefined =>
    options.closed?.() ?? refusalByPressure(pod, options.pressure()) ?? options.sysctls(pod);

  /** Must stay synchronous: otherwise two pods could both be granted the same resources. */
  const attempt = (pod: core.Pod, node: core.Node, preemption: Preemption): Refusal | undefined => {
    const others = othersOf(pod, options.active(granted), granted);
    const refusal = refusalByState(pod) ?? afterPreemption(pod, others, refusalsByFit(pod, others, node), preemption);
    if (refusal === undefined) granted.add(pod.metadata.uid ?? "");
    return refusal;
  };

  /** The reasons against a pod without the shortages that preemption can end, if the pod is critical. */
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

  /** A pod that fits when the victims have terminated must not be rejected: a rejection is final. */
  const roomMade = async (signal: AbortSignal): Promise<void> => {
    while (makingRoom !== undefined) await unlessAborted(makingRoom, signal);
  };

  const decide = async (
    pod: core.Pod,
    node: core.Node | undefined,
    preemption: Preemption,
    signal: AbortSignal,
  ): Promise<Refusal | undefined> => {
    // Check again after the wait: of two waiting pods, the first may have started another preemption.
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
      // A static pod may be the API server: it must not wait for itself.
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

/** Pods that use resources: those that were admitted, and those that an earlier agent has started. */
function othersOf(pod: core.Pod, active: readonly core.Pod[], granted: ReadonlySet<string>): readonly core.Pod[] {
  return active.filter(
    ({ metadata: { uid = "" }, status }) =>
      uid !== pod.metadata.uid && (granted.has(uid) || status?.startTime !== undefined),
  );
}
