import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { findCondition, podPriority } from "@orchernetes/component-helpers";
import { type InterruptibleSteps, messageOf } from "@orchernetes/kernel";
import { podInfo } from "../cache/pod-info.ts";
import type { Profile } from "../framework/profile.ts";
import { type DecisionState, explainDecision } from "./explain-decision.ts";
import type { LastAttempt, PodExplanation, PodState } from "./explanation.ts";

/** A pod, with what the scheduler knows about it. */
export interface ExplainedPod {
  readonly pod: Stored<core.Pod>;
  /** Its entry in the scheduling queue; undefined if it has none. */
  readonly queued: Extract<PodState, { readonly type: "queued" }> | undefined;
  /** The node that was chosen for it, while it is being bound. */
  readonly assumedNode: string | undefined;
  /** Undefined if no profile has its `spec.schedulerName`. */
  readonly profile: Profile | undefined;
}

function stateOf({ pod, queued, assumedNode, profile }: ExplainedPod): PodState {
  const { nodeName, schedulerName = "", schedulingGates = [] } = pod.spec;
  if (nodeName) return { type: "bound", node: nodeName };
  if (profile === undefined) return { type: "foreign", schedulerName };
  if (pod.metadata.deletionTimestamp) return { type: "terminating" };
  if (schedulingGates.length > 0) return { type: "gated", gates: schedulingGates.map(({ name }) => name) };
  if (assumedNode !== undefined) return { type: "assumed", node: assumedNode };
  return queued ?? { type: "unqueued" };
}

function lastAttemptOf({ status }: Stored<core.Pod>): LastAttempt | undefined {
  const condition = findCondition(status.conditions, "PodScheduled");
  if (condition?.status !== "False") return undefined;
  const { reason = "", message = "", lastTransitionTime } = condition;
  return {
    reason,
    message,
    ...(lastTransitionTime && { since: lastTransitionTime }),
    ...(status.nominatedNodeName && { nominatedNode: status.nominatedNodeName }),
  };
}

/**
 * Explains where a pod is and, if the scheduler has to find a node for it or would have to without its gates, the
 * decision about it on the current state. A gated pod gets the decision too: it shows whether the pod would fit.
 *
 * @returns undefined if nobody waits for the result any more
 */
export function* explainPod(
  explained: ExplainedPod,
  state: DecisionState,
): InterruptibleSteps<PodExplanation | undefined> {
  const { pod, profile } = explained;
  const { namespace = "", name, uid } = pod.metadata;
  const podState = stateOf(explained);
  const lastAttempt = lastAttemptOf(pod);
  const head: PodExplanation = {
    kind: "PodExplanation",
    pod: { namespace, name, uid, schedulerName: pod.spec.schedulerName ?? "", priority: podPriority(pod.spec) },
    state: podState,
    ...(podState.type !== "bound" && lastAttempt !== undefined && { lastAttempt }),
  };
  const isOpen = podState.type === "queued" || podState.type === "gated" || podState.type === "unqueued";
  if (profile === undefined || !isOpen) return head;
  try {
    const decision = yield* explainDecision(podInfo(pod), profile, state);
    return decision && { ...head, ...decision };
  } catch (error) {
    return { ...head, error: messageOf(error) };
  }
}
