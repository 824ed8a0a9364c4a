import type { autoscalingV2 } from "@orchernetes/api";
import type { ScalingHistory } from "./history.ts";
import { scaleDownLimit, scaleUpLimit } from "./policies.ts";

/** What the metrics call for, and what stands against it. */
export interface NormalizeInput {
  readonly current: number;
  /** As the metrics say. */
  readonly wanted: number;
  readonly min: number;
  readonly max: number;
  readonly behavior: autoscalingV2.HorizontalPodAutoscalerBehavior | undefined;
  readonly history: ScalingHistory;
  /** How far back recommendations hold up a scale-down where the behavior says nothing. */
  readonly downscaleStabilizationMs: number;
}

/** Why a condition is as it is. */
interface Verdict {
  readonly reason: string;
  readonly message: string;
}

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

/** What is wanted → what may be: first held against what was wanted lately, then against rates and the range. */
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
  // Up only to what every recent recommendation allows, down only to what each of them did.
  return Math.min(Math.max(current, lowest), highest);
}

const seconds = (value: number | undefined): number | undefined => (value === undefined ? undefined : value * 1000);

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
