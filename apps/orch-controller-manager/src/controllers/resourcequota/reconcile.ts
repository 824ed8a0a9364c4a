import type { core } from "@orchernetes/api";
import { type ApiObject, Quantity, quantityOf, type Stored } from "@orchernetes/apimachinery";
import { noPlan, type Plan } from "@orchernetes/controller";
import type { Evaluator, Scope } from "./evaluator.ts";

export type ResourceQuota = Stored<core.ResourceQuota>;

/** A quota and the objects that it may count. */
export interface QuotaState {
  readonly quota: ResourceQuota;
  /** What there is in the quota's namespace, per evaluator that the quota's limits concern. */
  readonly stock: readonly { readonly evaluator: Evaluator; readonly objects: readonly ApiObject[] }[];
}

export type QuotaAction = { readonly type: "UpdateStatus"; readonly quota: ResourceQuota };

type List = Readonly<Record<string, string>>;

function scopesOf({ scopes, scopeSelector }: core.ResourceQuotaSpec): readonly Scope[] {
  return [
    ...(scopes ?? []).map((name): Scope => ({ name, operator: "Exists", values: [] })),
    ...(scopeSelector?.matchExpressions ?? []).map(
      ({ scopeName, operator, values }): Scope => ({ name: scopeName, operator, values: values ?? [] }),
    ),
  ];
}

function sameAmounts(a: List = {}, b: List = {}): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => {
      const [x, y] = [a[name], b[name]];
      return x !== undefined && y !== undefined && quantityOf(x).cmp(quantityOf(y)) === 0;
    })
  );
}

/** Counts anew: limits go from spec to status, and with them what is used of each. */
export function reconcile({ quota, stock }: QuotaState, now: Date): Plan<QuotaAction> {
  const hard: List = quota.spec.hard ?? {};
  const scopes = scopesOf(quota.spec);
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
  const counted = Object.fromEntries(
    [...used].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, q]) => [name, q.canonical()]),
  );
  const { status } = quota;
  const known = status?.hard !== undefined && status.used !== undefined;
  if (known && sameAmounts(status.hard, hard) && sameAmounts(status.used, counted)) return noPlan;
  const plan: Plan<QuotaAction> = {
    actions: [{ type: "UpdateStatus", quota: { ...quota, status: { hard, used: counted } } }],
  };
  // Admission charges limits that it has seen in the status: what came in before that is counted soon after.
  return sameAmounts(status?.hard, hard) ? plan : { ...plan, requeueAfterMs: 2000 };
}
