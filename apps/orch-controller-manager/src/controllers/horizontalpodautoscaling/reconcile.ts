import type { autoscaling, autoscalingV2 } from "@orchernetes/api";
import { formatTime, type Stored } from "@orchernetes/apimachinery";
import { withCondition } from "@orchernetes/component-helpers";
import { remember, type ScalingHistory } from "./limits/history.ts";
import { normalize } from "./limits/normalize.ts";
import type { MetricOutcome } from "./metrics/proposal.ts";

/** A HorizontalPodAutoscaler as the API server returns it. */
export type HorizontalPodAutoscaler = Stored<autoscalingV2.HorizontalPodAutoscaler>;
/** The scale subresource of a target. */
export type Scale = Stored<autoscaling.Scale>;
type Condition = autoscalingV2.HorizontalPodAutoscalerCondition;
type ConditionType = "AbleToScale" | "ScalingActive" | "ScalingLimited";
type Status = autoscalingV2.HorizontalPodAutoscalerStatus;
type MetricStatus = autoscalingV2.MetricStatus;

/** The results of the metrics of an autoscaler. */
export type Measured =
  /** The metrics were not read, because the decision depends only on the number of replicas. */
  | { readonly type: "unneeded" }
  /** The selector of the scale is missing, invalid or ambiguous. */
  | { readonly type: "invalidSelector"; readonly reason: string; readonly message: string; readonly error: string }
  /** One outcome per metric of the spec, in its order. */
  | { readonly type: "outcomes"; readonly outcomes: readonly MetricOutcome[] };

/** Everything that determines the decision for an autoscaler. */
export interface AutoscalerState {
  readonly hpa: HorizontalPodAutoscaler;
  readonly scale: Scale;
  readonly measured: Measured;
  readonly history: ScalingHistory;
  readonly downscaleStabilizationMs: number;
}

/** An event about the autoscaler. */
export interface AutoscalerEvent {
  readonly of: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

/** The result of {@link reconcile}. */
export interface Decision {
  readonly events: readonly AutoscalerEvent[];
  readonly conditions: readonly Condition[];
  readonly metrics: readonly MetricStatus[];
  /** Replicas to scale to, with the reason; absent if the number stays or no decision was possible. */
  readonly rescale?: { readonly to: number; readonly reason: string };
  /** No decision was possible: desiredReplicas stay unchanged. */
  readonly undecided: boolean;
  /** Error that is thrown after the decision has been applied, so that it is logged. */
  readonly error?: string;
  readonly history: ScalingHistory;
}

/** Whether the decision needs metrics: not if scaling is disabled, or if the number of replicas is out of range. */
export function needsMetrics({ spec }: HorizontalPodAutoscaler, currentReplicas: number): boolean {
  const { minReplicas = 1, maxReplicas } = spec;
  if (currentReplicas === 0 && minReplicas !== 0) return false;
  return currentReplicas >= minReplicas && currentReplicas <= maxReplicas;
}

/** Decides how many replicas the target should have, and why. Pure. */
export function reconcile(state: AutoscalerState, now: Date): Decision {
  const { hpa, scale, measured } = state;
  const { minReplicas: min = 1, maxReplicas: max } = hpa.spec;
  const current = scale.spec?.replicas ?? 0;
  let conditions = hpa.status?.conditions ?? [];
  const set = (type: ConditionType, status: "True" | "False", reason: string, message: string): void => {
    conditions = setCondition(conditions, { type, status, reason, message }, now);
  };
  // The initial number of replicas counts as a recommendation, so that a new autoscaler does not scale down at once.
  let history = state.history;
  if (history.recommendations.length === 0) history = remember(history, current, now);
  set("AbleToScale", "True", "SucceededGetScale", "the HPA controller was able to get the target's current scale");

  if (current === 0 && min !== 0) {
    const message = "scaling is disabled since the replica count of the target is zero";
    set("ScalingActive", "False", "ScalingDisabled", message);
    return { events: [], conditions, metrics: [], undecided: false, history };
  }
  const outOfRange = (to: number, reason: string): Decision => {
    return { events: [], conditions, metrics: [], rescale: { to, reason }, undecided: false, history };
  };
  if (current > max) return outOfRange(max, "Current number of replicas above Spec.MaxReplicas");
  if (current < min) return outOfRange(min, "Current number of replicas below Spec.MinReplicas");

  const { events, metrics, proposal, error, active } = weigh(measured, current);
  set("ScalingActive", active.status, active.reason, active.message);
  if (proposal === undefined) {
    const failed = { of: "Warning", reason: "FailedComputeMetricsReplicas", message: error ?? "" } as const;
    return {
      events: [...events, failed],
      conditions,
      metrics,
      undecided: true,
      error: `failed to compute desired number of replicas based on listed metrics: ${error}`,
      history,
    };
  }
  const { behavior } = hpa.spec;
  const { downscaleStabilizationMs } = state;
  const wanted = proposal.replicas;
  const input = { current, wanted, min, max, behavior, history, downscaleStabilizationMs };
  const { replicas, stabilized, limited } = normalize(input, now);
  set("AbleToScale", "True", stabilized.reason, stabilized.message);
  set("ScalingLimited", limited.status, limited.reason, limited.message);
  history = remember(history, wanted, now, downscaleStabilizationMs);
  const reason =
    wanted > current ? `${proposal.name} above target` : wanted < current ? "All metrics below target" : "";
  return {
    events,
    conditions,
    metrics,
    ...(replicas === current ? {} : { rescale: { to: replicas, reason } }),
    undecided: false,
    ...(error === undefined ? {} : { error }),
    history,
  };
}

interface Weighed {
  readonly events: readonly AutoscalerEvent[];
  readonly metrics: readonly MetricStatus[];
  readonly proposal: { readonly replicas: number; readonly name: string } | undefined;
  readonly error: string | undefined;
  readonly active: { readonly status: "True" | "False"; readonly reason: string; readonly message: string };
}

/**
 * Selects the highest proposal. If a metric is missing, the target is not scaled down: the metric might call for more
 * replicas.
 */
function weigh(measured: Measured, current: number): Weighed {
  if (measured.type === "invalidSelector") {
    const { reason, message, error } = measured;
    const event = {
      of: "Warning",
      reason: reason === "InvalidSelector" && error === "selector is required" ? "SelectorRequired" : reason,
      message: error,
    } as const;
    const active = { status: "False", reason, message } as const;
    return { events: [event], metrics: [], proposal: undefined, error, active };
  }
  const outcomes = measured.type === "outcomes" ? measured.outcomes : [];
  const events: AutoscalerEvent[] = [];
  let best: { readonly replicas: number; readonly name: string } | undefined;
  let first: Extract<MetricOutcome, { type: "failure" }> | undefined;
  for (const outcome of outcomes) {
    if (outcome.type === "failure") {
      first ??= outcome;
      events.push({ of: "Warning", reason: outcome.reason, message: outcome.message });
    } else if (best === undefined || outcome.replicas > best.replicas) best = outcome;
  }
  const metrics = outcomes.map((outcome) => (outcome.type === "proposal" ? outcome.status : noMetric));
  const error =
    first === undefined
      ? undefined
      : `invalid metrics (${events.length} invalid out of ${outcomes.length}), first error is: ${first.error}`;
  if (first !== undefined && (best === undefined || best.replicas < current)) {
    const message = `the HPA was unable to compute the replica count: ${first.message}`;
    const active = { status: "False", reason: first.reason, message } as const;
    return { events, metrics, proposal: undefined, error, active };
  }
  const proposal = best ?? { replicas: current, name: "" };
  const message = `the HPA was able to successfully calculate a replica count from ${proposal.name}`;
  return { events, metrics, proposal, error, active: { status: "True", reason: "ValidMetricFound", message } };
}

/** Placeholder for a metric that failed: clients match the list with the spec by position. */
const noMetric = Object.freeze({ type: "" }) as unknown as MetricStatus;

/** The result of the attempt to rescale. */
export type Rescaled = "unneeded" | "done" | { readonly failure: string };

/** The status of the autoscaler after the decision has been applied. */
export function statusAfter(state: AutoscalerState, decision: Decision, rescaled: Rescaled, now: Date): Status {
  const { hpa, scale } = state;
  const { observedGeneration, lastScaleTime, desiredReplicas = 0 } = hpa.status ?? {};
  const current = scale.spec?.replicas ?? 0;
  const { rescale, undecided } = decision;
  let { conditions } = decision;
  if (rescale !== undefined && rescaled !== "unneeded") {
    conditions = setCondition(conditions, rescaleCondition(rescale.to, rescaled), now);
  }
  const done = rescaled === "done";
  const failed = typeof rescaled === "object";
  const scaledAt = done ? formatTime(now) : lastScaleTime;
  return {
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    ...(scaledAt === undefined ? {} : { lastScaleTime: scaledAt }),
    currentReplicas: current,
    desiredReplicas: undecided || failed ? desiredReplicas : (rescale?.to ?? current),
    ...(decision.metrics.length === 0 ? {} : { currentMetrics: decision.metrics }),
    conditions,
  };
}

function rescaleCondition(to: number, rescaled: Exclude<Rescaled, "unneeded">) {
  const type = "AbleToScale";
  if (rescaled === "done") {
    const message = `the HPA controller was able to update the target scale to ${to}`;
    return { type, status: "True", reason: "SucceededRescale", message } as const;
  }
  const message = `the HPA controller was unable to update the target scale: ${rescaled.failure}`;
  return { type, status: "False", reason: "FailedUpdateScale", message } as const;
}

/** Sets a condition of an autoscaler. Its transition time changes only with its status. */
export function setCondition(
  conditions: readonly Condition[],
  next: Omit<Condition, "lastTransitionTime"> & { readonly type: ConditionType },
  now: Date,
): readonly Condition[] {
  return withCondition<Condition>(conditions, { ...next, lastTransitionTime: formatTime(now) });
}
