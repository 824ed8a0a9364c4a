import type { autoscalingV2 } from "@orchernetes/api";
import type { ScalingHistory } from "./history.ts";
import { scaleDownLimit, scaleUpLimit } from "./policies.ts";

/** The recommendation of the metrics, and everything that limits it. */
export interface NormalizeInput {
  readonly current: number;
  /** The recommended number of replicas. */
  readonly wanted: number;
  readonly min: number;
  readonly max: number;
  readonly behavior: autoscalingV2.HorizontalPodAutoscalerBehavior | undefined;
  readonly history: ScalingHistory;
  /** Stabilization window for scaling down, if the behavior does not set one. */
  readonly downscaleStabilizationMs: number;
}

/** Reason and message of a condition. */
interface Verdict {
  readonly reason: string;
  readonly message: string;
}

/** The number of replicas after all limits, and the conditions that explain it. */
export interface Normalized {
  readonly replicas: number;
  /** Of condition AbleToScale, which is True. */
  readonly stabilized: Verdict;
  /** Of condition ScalingLimited. */
  readonly limited: Verdict & { readonly status: "True" | "False" };
}

const ready: Verdict = { reason: "ReadyForNewScale", message: "recommended size matches current size" };
const downStabilized: Verdict = {
  reason: "ScaleDownStabilized",
  message: "recent recommendations were higher than current one, applying the highest recent recommendation",
};
const upStabilized: Verdict = {
  reason: "ScaleUpStabilized",
  message: "recent recommendations were lower than current one, applying the lowest recent recommendation",
};
const withinRange: Verdict = {
  reason: "DesiredWithinRange",
  message: "the desired count is within the acceptable range",
};
const tooMany: Verdict = {
  reason: "TooManyReplicas",
  message: "the desired replica count is more than the maximum replica count",
};
const tooFew: Verdict = {
  reason: "TooFewReplicas",
  message: "the desired replica count is less than the minimum replica count",
};
const tooFast: Verdict = {
  reason: "ScaleUpLimit",
  message: "the desired replica count is increasing faster than the maximum scale rate",
};
const tooFastDown: Verdict = {
  reason: "ScaleDownLimit",
  message: "the desired replica count is decreasing faster than the maximum scale rate",
};

/** Limits a recommendation: first by recent recommendations (stabilization), then by the rates and the range. Pure. */
export function normalize(input: NormalizeInput, now: Date): Normalized {
  const steady = stabilize(input, now);
  const stabilized =
    steady === input.wanted
      ? ready
      : input.behavior !== undefined && input.wanted >= input.current
        ? upStabilized
        : downStabilized;
  const { replicas, verdict } = limit({ ...input, wanted: steady }, now);
  return { replicas, stabilized, limited: { ...verdict, status: replicas === steady ? "False" : "True" } };
}

/** Limits a recommendation by those of the stabilization windows (KEP-853). */
function stabilize(
  { wanted, current, behavior, history, downscaleStabilizationMs }: NormalizeInput,
  now: Date,
): number {
  const downMs = seconds(behavior?.scaleDown?.stabilizationWindowSeconds) ?? downscaleStabilizationMs;
  let highest = wanted;
  let lowest = wanted;
  const upMs = seconds(behavior?.scaleUp?.stabilizationWindowSeconds) ?? 0;
  for (const { replicas, atMs } of history.recommendations) {
    const agoMs = now.getTime() - atMs;
    if (agoMs < downMs) highest = Math.max(highest, replicas);
    if (agoMs < upMs) lowest = Math.min(lowest, replicas);
  }
  if (behavior === undefined) return highest;
  // Scale up at most to the lowest, and down at least to the highest recent recommendation.
  return Math.min(Math.max(current, lowest), highest);
}

const seconds = (value: number | undefined): number | undefined => (value === undefined ? undefined : value * 1000);

/** Limits a number of replicas by the scaling rates, and by the minimum and maximum of the spec. */
function limit(input: NormalizeInput, now: Date): { readonly replicas: number; readonly verdict: Verdict } {
  const { wanted, current, min, max, behavior, history } = input;
  const fine = { replicas: wanted, verdict: withinRange };
  if (behavior === undefined) {
    const fastest = Math.max(2 * current, 4);
    if (wanted < min) return { replicas: min, verdict: tooFew };
    const most = Math.min(max, fastest);
    return wanted > most ? { replicas: most, verdict: max > fastest ? tooFast : tooMany } : fine;
  }
  if (wanted > current) {
    const fastest = Math.max(current, scaleUpLimit(current, behavior.scaleUp, history, now));
    const most = Math.min(max, fastest);
    return wanted > most ? { replicas: most, verdict: max > fastest ? tooFast : tooMany } : fine;
  }
  if (wanted < current) {
    const fastest = Math.min(current, scaleDownLimit(current, behavior.scaleDown, history, now));
    const least = Math.max(min, fastest);
    return wanted < least ? { replicas: least, verdict: min < fastest ? tooFastDown : tooFew } : fine;
  }
  return fine;
}
