import type { core } from "@orchernetes/api";
import type { ApiObject } from "@orchernetes/apimachinery";
import { type Amounts, type QuotaEvaluator, type QuotaScope, quotaScopes } from "@orchernetes/component-helpers";
import type { ResourceQuotaConfiguration } from "@orchernetes/config";

/** Resources whose consumption needs a quota. */
export type LimitedResources = ResourceQuotaConfiguration["limitedResources"];

/** An object that is to be written, with what counts it. */
export interface Consumer {
  readonly evaluator: QuotaEvaluator;
  readonly object: ApiObject;
  /** What it takes as a whole. */
  readonly usage: Amounts;
}

/** A quota of the namespace. */
export interface Cover {
  readonly quota: core.ResourceQuota;
  /** The names that it limits for the object; undefined if it does not count the object. */
  readonly limited: readonly string[] | undefined;
}

/** What no quota covers: names of what is consumed, or scopes. */
export interface Gap {
  readonly of: "names" | "scopes";
  readonly detail: string;
}

/** What the object takes that no quota covers although the configuration asks for one; undefined if there is nothing. */
export function uncovered(
  { evaluator, object, usage }: Consumer,
  limitedResources: LimitedResources,
  covers: readonly Cover[],
): Gap | undefined {
  if (limitedResources.length === 0) return undefined;
  const covered = new Set(covers.flatMap(({ limited }) => limited ?? []));
  const names = consumed(evaluator, usage, limitedResources).filter((name) => !covered.has(name));
  if (names.length > 0) return { of: "names", detail: `insufficient quota to consume: ${names.join(",")}` };

  const asked = limitedResources
    .flatMap(({ matchScopes }) => matchScopes)
    .map(({ scopeName, operator, values }): QuotaScope => ({ name: scopeName, operator, values }))
    .filter((scope) => evaluator.inScope(object, scope));
  const matched = new Set(
    covers
      .flatMap(({ quota }) => quotaScopes(quota.spec))
      .filter((scope) => evaluator.inScope(object, scope))
      .map(({ name }) => name),
  );
  const open = asked.filter(({ name }) => !matched.has(name));
  if (open.length === 0) return undefined;
  const texts = open.map(({ name, operator, values }) => `{${name} ${operator} [${values.join(" ")}]}`);
  return { of: "scopes", detail: `insufficient quota to match these scopes: [${texts.join(" ")}]` };
}

/** The names among what is consumed that the configuration means, in order. */
function consumed(evaluator: QuotaEvaluator, usage: Amounts, limitedResources: LimitedResources): readonly string[] {
  const parts = limitedResources
    .filter(({ apiGroup, resource }) => apiGroup === evaluator.group && resource === evaluator.plural)
    .flatMap(({ matchContains }) => matchContains);
  return [...usage]
    .filter(([name, amount]) => amount.sign > 0 && parts.some((part) => name.includes(part)))
    .map(([name]) => name)
    .sort();
}
