import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { findCondition, podPriority } from "@orchernetes/component-helpers";
import { type InterruptibleSteps, messageOf } from "@orchernetes/kernel";
import { type PodInfo, podInfo } from "../cache/pod-info.ts";
import type { Profile } from "../framework/profile.ts";
import { schedulingGates } from "../plugins/scheduling-gates.ts";
import { type DecisionState, explainDecision } from "./explain-decision.ts";
import type { LastAttempt, PodExplanation, PodState } from "./explanation.ts";
import type { ExtenderDecision } from "./extender-decision.ts";

/** A pod, with what the scheduler knows about it. */
export interface ExplainedPod {
  readonly pod: Stored<core.Pod>;
  /** Its entry in the scheduling queue; undefined if it has none. */
  readonly queued: Extract<PodState, { readonly type: "queued" }> | undefined;
  /** The node that was chosen for it, while it is being bound. */
  readonly assumedNode: string | undefined;
  /** The Permit plugins that hold it meanwhile. @default none */
  readonly heldBy?: readonly string[];
  /** Undefined if no profile has its `spec.schedulerName`. */
  readonly profile: Profile | undefined;
}

function stateOf({ pod, queued, assumedNode, heldBy = [], profile }: ExplainedPod): PodState {
  const { nodeName, schedulerName = "", schedulingGates = [] } = pod.spec;
  if (nodeName) return { type: "bound", node: nodeName };
  if (profile === undefined) return { type: "foreign", schedulerName };
  if (pod.metadata.deletionTimestamp) return { type: "terminating" };
  if (schedulingGates.length > 0) return { type: "gated", gates: schedulingGates.map(({ name }) => name) };
  if (assumedNode !== undefined)
    return { type: "assumed", node: assumedNode, ...(heldBy.length > 0 && { heldBy: [...heldBy] }) };
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

/** The plugins of PreEnqueue that keep the pod out of the queue, but for scheduling gates, which are part of its state. */
function holdsOf(info: PodInfo, { preEnqueues }: Profile): NonNullable<PodExplanation["holds"]> {
  return preEnqueues.flatMap((plugin) => {
    if (plugin.name === schedulingGates.name) return [];
    try {
      const message = plugin.preEnqueue(info);
      return message === undefined ? [] : [{ plugin: plugin.name, message }];
    } catch (error) {
      return [{ plugin: plugin.name, message: `the plugin fails: ${messageOf(error)}` }];
    }
  });
}

/** The profile with which a decision about the pod has to be explained; undefined if there is nothing to decide. */
export function decidingProfile(explained: ExplainedPod): Profile | undefined {
  const { type } = stateOf(explained);
  return type === "queued" || type === "gated" || type === "unqueued" ? explained.profile : undefined;
}

/**
 * Explains where a pod is and, if the scheduler has to find a node for it or would have to without its gates, the
 * decision about it on the current state. A gated pod gets the decision too: it shows whether the pod would fit.
 *
 * @param asked the answers of extenders; @default there are no extenders
 * @returns undefined if nobody waits for the result any more
 */
export function* explainPod(
  explained: ExplainedPod,
  state: DecisionState,
  asked?: ExtenderDecision,
): InterruptibleSteps<PodExplanation | undefined> {
  const { pod } = explained;
  const { namespace = "", name, uid } = pod.metadata;
  const podState = stateOf(explained);
  const lastAttempt = lastAttemptOf(pod);
  const head: PodExplanation = {
    kind: "PodExplanation",
    pod: { namespace, name, uid, schedulerName: pod.spec.schedulerName ?? "", priority: podPriority(pod.spec) },
    state: podState,
    ...(podState.type !== "bound" && lastAttempt !== undefined && { lastAttempt }),
  };
  const profile = decidingProfile(explained);
  if (profile === undefined) return head;
  try {
    const info = podInfo(pod);
    const holds = holdsOf(info, profile);
    const decision = yield* explainDecision(info, profile, state, asked);
    return decision && { ...head, ...(holds.length > 0 && { holds }), ...decision };
  } catch (error) {
    return { ...head, error: messageOf(error) };
  }
}
