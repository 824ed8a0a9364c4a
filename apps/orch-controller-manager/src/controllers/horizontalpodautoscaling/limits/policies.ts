import type { autoscalingV2 } from "@orchernetes/api";
import { changeWithin, type ScalingHistory } from "./history.ts";

type Rules = autoscalingV2.HPAScalingRules;
type Policy = autoscalingV2.HPAScalingPolicy;

/** Most replicas that the policies allow now; may be less than there are after a fast scale-up. No policies: no limit. */
export function scaleUpLimit(current: number, rules: Rules | undefined, history: ScalingHistory, now: Date): number {
  return limitOf(current, rules, history, now, "Max", ({ type, value }, start) =>
    type === "Pods" ? start + value : Math.ceil(start * (1 + value / 100)),
  );
}

/** Fewest replicas that the policies allow now; may be more than there are after a fast scale-down. No policies: no limit. */
export function scaleDownLimit(current: number, rules: Rules | undefined, history: ScalingHistory, now: Date): number {
  return limitOf(current, rules, history, now, "Min", ({ type, value }, start) =>
    type === "Pods" ? start - value : Math.trunc(start * (1 - value / 100)),
  );
}

/** @param freest the number among several that leaves the most freedom */
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
    // What there was when the period began, changes from elsewhere left aside.
    const { periodSeconds } = policy;
    const start = current - changeWithin(ups, periodSeconds, now) + changeWithin(downs, periodSeconds, now);
    return proposalOf(policy, start);
  });
  const highest = (freest === "Max") === (selectPolicy === "Max");
  if (proposals.length === 0) return freest === "Max" ? Number.MAX_SAFE_INTEGER : 0;
  return highest ? Math.max(...proposals) : Math.min(...proposals);
}
