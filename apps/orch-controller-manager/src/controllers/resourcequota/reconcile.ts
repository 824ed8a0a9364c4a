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

/** A ResourceQuota as the API server returns it. */
export type ResourceQuota = Stored<core.ResourceQuota>;

/** A quota and the objects that it may count. */
export interface QuotaState {
  readonly quota: ResourceQuota;
  /** The objects in the quota's namespace, by evaluator of the limited resources. */
  readonly stock: readonly { readonly evaluator: QuotaEvaluator; readonly objects: readonly ApiObject[] }[];
}

/** A write of the controller. */
export type QuotaAction = { readonly type: "UpdateStatus"; readonly quota: ResourceQuota };

/** Computes the usage of all limits, and copies the limits from spec to status. Pure. */
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
  // Admission charges only limits that are in the status. Objects that were created before that are counted soon after.
  return sameResourceList(status?.hard, hard) ? plan : { ...plan, requeueAfterMs: 2000 };
}
