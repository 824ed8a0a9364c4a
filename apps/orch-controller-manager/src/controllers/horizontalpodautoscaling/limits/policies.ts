import type { autoscalingV2 } from "@orchernetes/api";
import { changeWithin, type ScalingHistory } from "./history.ts";

type Rules = autoscalingV2.HPAScalingRules;
type Policy = autoscalingV2.HPAScalingPolicy;

/**
 * The maximum number of replicas that the scale-up policies allow now; no limit without policies. It can be lower than
 * the current number if a policy period contains a faster scale-up.
 */
export function scaleUpLimit(current: number, rules: Rules | undefined, history: ScalingHistory, now: Date): number {
  return limitOf(current, rules, history, now, "Max", ({ type, value }, start) =>
    type === "Pods" ? start + value : Math.ceil(start * (1 + value / 100)),
  );
}

/**
 * The minimum number of replicas that the scale-down policies allow now; no limit without policies. It can be higher
 * than the current number if a policy period contains a faster scale-down.
 */
export function scaleDownLimit(current: number, rules: Rules | undefined, history: ScalingHistory, now: Date): number {
  return limitOf(current, rules, history, now, "Min", ({ type, value }, start) =>
    type === "Pods" ? start - value : Math.trunc(start * (1 - value / 100)),
  );
}

/** @param freest which of several proposals allows the largest change */
function limitOf(
  current: number,
  rules: Rules | undefined,
  { ups, downs }: ScalingHistory,
  now: Date,
  freest: "Max" | "Min",
  proposalOf: (policy: Policy, start: number) => number,
): number {
  const { selectPolicy = "Max", policies = [] } = rules ?? {};
  if (selectPolicy === "Disabled") return current;
  const proposals = policies.map((policy) => {
    // The number of replicas at the start of the period, without changes by others.
    const { periodSeconds } = policy;
    const start = current - changeWithin(ups, periodSeconds, now) + changeWithin(downs, periodSeconds, now);
    return proposalOf(policy, start);
  });
  const highest = (freest === "Max") === (selectPolicy === "Max");
  if (proposals.length === 0) return freest === "Max" ? Number.MAX_SAFE_INTEGER : 0;
  return highest ? Math.max(...proposals) : Math.min(...proposals);
}
