import type { core } from "@orchernetes/api";
import { type ApiObject, Quantity } from "@orchernetes/apimachinery";
import { type Amounts, addAmounts, amountsOf, type QuotaEvaluator, quotaScopes } from "@orchernetes/component-helpers";

/** What a write means for one quota. */
export type Verdict =
  /** The quota does not count the object. */
  | { readonly type: "unconcerned" }
  | { readonly type: "refused"; readonly detail: string }
  /** Usage as it is after the write; names that the quota does not limit are left out. */
  | { readonly type: "charged"; readonly used: Amounts };

const show = (amounts: Amounts, names: readonly string[]): string =>
  names.map((name) => `${name}=${amounts.get(name) ?? 0}`).join(",");

/**
 * What the object adds: for an update, only what it takes in addition to what it took before. Nothing is subtracted here; that is
 * left to the quota controller, which counts what is stored.
 */
export function increase(evaluator: QuotaEvaluator, object: ApiObject, old: ApiObject | undefined, now: Date): Amounts {
  const usage = evaluator.usage(object, now);
  const before = old === undefined ? new Map<string, Quantity>() : evaluator.usage(old, now);
  const zero = Quantity.of(0);
  return new Map(
    [...usage]
      .map(([name, amount]) => [name, amount.sub(before.get(name) ?? zero)] as const)
      .filter(([, amount]) => amount.sign > 0),
  );
}

/** Whether a quota counts an object, decided by what of it has been counted already. */
export type Concern =
  | { readonly type: "unconcerned" }
  | { readonly type: "refused"; readonly detail: string }
  /** With the names that it limits, in order. */
  | { readonly type: "concerned"; readonly limited: readonly string[] };

/** Whether the quota counts the object, and could do so. */
export function concernOf(quota: core.ResourceQuota, evaluator: QuotaEvaluator, object: ApiObject): Concern {
  const name = quota.metadata.name ?? "";
  const used = amountsOf(quota.status.used);
  const limited = [...amountsOf(quota.status.hard).keys()].filter((resource) => evaluator.limits(resource)).sort();
  if (limited.length === 0) return { type: "unconcerned" };
  if (!quotaScopes(quota.spec).every((scope) => evaluator.inScope(object, scope))) return { type: "unconcerned" };
  const missing = evaluator.missing(object, limited);
  if (missing !== undefined) return { type: "refused", detail: `failed quota: ${name}: ${missing}` };
  if (limited.every((resource) => used.has(resource))) return { type: "concerned", limited };
  return { type: "refused", detail: `status unknown for quota: ${name}, resources: ${limited.join(",")}` };
}

/** Whether the quota counts the object and admits `delta`. Decides by the quota's status, which is what has been counted. */
export function checkQuota(
  quota: core.ResourceQuota,
  evaluator: QuotaEvaluator,
  object: ApiObject,
  delta: Amounts,
): Verdict {
  const concern = concernOf(quota, evaluator, object);
  if (concern.type !== "concerned") return concern;
  const name = quota.metadata.name ?? "";
  const hard = amountsOf(quota.status.hard);
  const used = amountsOf(quota.status.used);
  const requested = new Map([...delta].filter(([resource]) => hard.has(resource)));
  if (requested.size === 0) return { type: "unconcerned" };
  const total = addAmounts(used, requested);
  const exceeded = [...requested.keys()]
    .filter((resource) => {
      const limit = hard.get(resource);
      const wanted = total.get(resource);
      return limit !== undefined && wanted !== undefined && wanted.cmp(limit) > 0;
    })
    .sort();
  if (exceeded.length > 0)
    return {
      type: "refused",
      detail: `exceeded quota: ${name}, requested: ${show(requested, exceeded)}, used: ${show(used, exceeded)}, limited: ${show(hard, exceeded)}`,
    };
  return { type: "charged", used: total };
}
