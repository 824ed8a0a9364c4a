import type { autoscaling, autoscalingV2 } from "@orchernetes/api";
import { formatTime, type Stored } from "@orchernetes/apimachinery";
import { type Condition, type ConditionType, setCondition } from "./conditions.ts";
import { remember, type ScalingHistory } from "./limits/history.ts";
import { normalize } from "./limits/normalize.ts";
import type { MetricOutcome } from "./metrics/proposal.ts";

export type HorizontalPodAutoscaler = Stored<autoscalingV2.HorizontalPodAutoscaler>;
export type Scale = Stored<autoscaling.Scale>;
type Status = autoscalingV2.HorizontalPodAutoscalerStatus;
type MetricStatus = autoscalingV2.MetricStatus;

/** What the metrics of an autoscaler came to. */
export type Measured =
  /** They were not asked for: the number of replicas alone decides. */
  | { readonly type: "unneeded" }
  /** The scale's selector is of no use. */
  | { readonly type: "invalidSelector"; readonly reason: string; readonly message: string; readonly error: string }
  /** One outcome per metric of the spec, in its order. */
  | { readonly type: "outcomes"; readonly outcomes: readonly MetricOutcome[] };

export interface AutoscalerState {
  readonly hpa: HorizontalPodAutoscaler;
  readonly scale: Scale;
  readonly measured: Measured;
  readonly history: ScalingHistory;
  readonly downscaleStabilizationMs: number;
}

export interface AutoscalerEvent {
  readonly of: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

export interface Decision {
  readonly events: readonly AutoscalerEvent[];
  readonly conditions: readonly Condition[];
  readonly metrics: readonly MetricStatus[];
  /** Replicas to scale to, with the reason; absent: the number stays, or nothing could be decided. */
  readonly rescale?: { readonly to: number; readonly reason: string };
  /** Nothing could be decided: desired replicas stay as they were. */
  readonly undecided: boolean;
  /** To be reported once the decision is carried out. */
  readonly error?: string;
  readonly history: ScalingHistory;
}

/** Whether metrics matter: not where scaling is off, nor where the number is out of range anyway. */
export function needsMetrics({ spec }: HorizontalPodAutoscaler, currentReplicas: number): boolean {
  const { minReplicas = 1, maxReplicas } = spec;
  if (currentReplicas === 0 && minReplicas !== 0) return false;
  return currentReplicas >= minReplicas && currentReplicas <= maxReplicas;
}

/** How many replicas the target is to have, and why. */
export function reconcile(state: AutoscalerState, now: Date): Decision {
  const { hpa, scale, measured } = state;
  const { minReplicas: min = 1, maxReplicas: max } = hpa.spec;
  const current = scale.spec?.replicas ?? 0;
  let conditions = hpa.status?.conditions ?? [];
  const set = (type: ConditionType, status: "True" | "False", reason: string, message: string): void => {
    conditions = setCondition(conditions, { type, status, reason, message }, now);
  };
  // A number that somebody else has chosen holds as a recommendation.
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

/** The highest proposal counts. With a metric missing nobody knows whether fewer would do: then nothing is scaled down. */
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

/** Holds the place of a metric that failed: clients read the list by the positions of the spec. */
const noMetric = Object.freeze({ type: "" }) as unknown as MetricStatus;

/** How the attempt to rescale went. */
export type Rescaled = "unneeded" | "done" | { readonly failure: string };

/** The autoscaler's status once the decision has been carried out. */
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
