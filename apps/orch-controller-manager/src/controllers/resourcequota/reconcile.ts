import type { core } from "@orchernetes/api";
import { type ApiObject, Quantity, type Stored } from "@orchernetes/apimachinery";
import {
  type QuotaEvaluator,
  quotaScopes,
  type ResourceList,
  resourceListOf,
  sameResourceList,
} from "@orchernetes/component-helpers";
import { noPlan, type Plan } from "@orchernetes/controller";

export type ResourceQuota = Stored<core.ResourceQuota>;

/** A quota and the objects that it may count. */
export interface QuotaState {
  readonly quota: ResourceQuota;
  /** What there is in the quota's namespace, per evaluator that the quota's limits concern. */
  readonly stock: readonly { readonly evaluator: QuotaEvaluator; readonly objects: readonly ApiObject[] }[];
}

export type QuotaAction = { readonly type: "UpdateStatus"; readonly quota: ResourceQuota };

/** Counts again: limits go from spec to status, and with them what is used of each. */
export function reconcile({ quota, stock }: QuotaState, now: Date): Plan<QuotaAction> {
  const hard: ResourceList = quota.spec.hard ?? {};
  const scopes = quotaScopes(quota.spec);
  const used = new Map<string, Quantity>();
  for (const { evaluator, objects } of stock) {
    for (const name of Object.keys(hard)) if (evaluator.limits(name)) used.set(name, Quantity.of(0));
    for (const object of objects) {
      if (!scopes.every((scope) => evaluator.inScope(object, scope))) continue;
      for (const [name, amount] of evaluator.usage(object, now)) {
        const sum = used.get(name);
        if (sum !== undefined) used.set(name, sum.add(amount));
      }
    }
  }
  const counted = resourceListOf(used);
  const { status } = quota;
  const known = status?.hard !== undefined && status.used !== undefined;
  if (known && sameResourceList(status.hard, hard) && sameResourceList(status.used, counted)) return noPlan;
  const plan: Plan<QuotaAction> = {
    actions: [{ type: "UpdateStatus", quota: { ...quota, status: { hard, used: counted } } }],
  };
  // Admission charges limits that it has seen in the status: what came in before that is counted soon after.
  return sameResourceList(status?.hard, hard) ? plan : { ...plan, requeueAfterMs: 2000 };
}
