import { claimQuota } from "./claims.ts";
import type { QuotaEvaluator } from "./evaluator.ts";
import { objectCountQuota } from "./object-count.ts";
import { podQuota } from "./pods.ts";
import { serviceQuota } from "./services.ts";

/** The resources whose objects count by what is in them. All others count by number. */
export const quotaEvaluators: readonly QuotaEvaluator[] = [podQuota, serviceQuota, claimQuota];

/** Whether no quota counts the objects of a resource: events come and go too fast. */
export function isExemptFromQuota(group: string, plural: string): boolean {
  return plural === "events" && (group === "" || group === "events.o8s.io");
}

/** How objects of a resource count towards quotas. */
export function quotaEvaluatorFor(group: string, plural: string): QuotaEvaluator {
  return (
    quotaEvaluators.find((evaluator) => evaluator.group === group && evaluator.plural === plural) ??
    objectCountQuota(group, plural)
  );
}
