import type { policy } from "@orchernetes/api";
import { type LabelSelector, labelSelectorAsSelector } from "@orchernetes/apimachinery";
import type { PodInfo } from "../../cache/pod-info.ts";

/** The disruption budgets of a namespace. */
export type Budgets = (namespace: string) => readonly policy.PodDisruptionBudget[];

/**
 * Divides pods, in their order, into those whose eviction a budget does not allow, and the others. Each pod uses up a
 * part of its budgets, so the order decides.
 */
export function partByBudgets(
  pods: readonly PodInfo[],
  budgets: Budgets,
): { readonly violating: readonly PodInfo[]; readonly others: readonly PodInfo[] } {
  const left = new Map<policy.PodDisruptionBudget, number>();
  const violating: PodInfo[] = [];
  const others: PodInfo[] = [];
  for (const info of pods) {
    let violates = false;
    for (const budget of budgets(info.namespace)) {
      const { labels, name } = info.pod.metadata;
      const selector = labelSelectorAsSelector(budget.spec.selector as LabelSelector | undefined);
      // As upstream: a selector of everything protects nothing, and a pod without labels is not protected.
      const isLabelled = labels !== undefined && Object.keys(labels).length > 0;
      if (selector.empty || !isLabelled || !selector.matches(labels)) continue;
      if (Object.hasOwn(budget.status.disruptedPods ?? {}, name)) continue;
      const remaining = (left.get(budget) ?? budget.status.disruptionsAllowed ?? 0) - 1;
      left.set(budget, remaining);
      if (remaining < 0) violates = true;
    }
    (violates ? violating : others).push(info);
  }
  return { violating, others };
}
