import { claimQuota } from "./claims.ts";
import type { QuotaEvaluator } from "./evaluator.ts";
import { objectCountQuota } from "./object-count.ts";
import { podQuota } from "./pods.ts";
import { serviceQuota } from "./services.ts";

/** The evaluators of resources whose objects are counted by their content. All other objects are counted by number. */
export const quotaEvaluators: readonly QuotaEvaluator[] = [podQuota, serviceQuota, claimQuota];

/** Whether a resource is exempt from quotas. Events are: they are too numerous and short-lived to be counted. */
export function isExemptFromQuota(group: string, plural: string): boolean {
  return plural === "events" && (group === "" || group === "events.o8s.io");
}

/** The evaluator of a resource. */
export function quotaEvaluatorFor(group: string, plural: string): QuotaEvaluator {
  return (
    quotaEvaluators.find((evaluator) => evaluator.group === group && evaluator.plural === plural) ??
    objectCountQuota(group, plural)
  );
}
