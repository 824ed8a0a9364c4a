import { Quantity } from "@orchernetes/apimachinery";
import type { QuotaEvaluator } from "./evaluator.ts";

/** Core resources that quotas can also name without `count/`. */
const bareNames: ReadonlySet<string> = new Set(["configmaps", "resourcequotas", "replicationcontrollers", "secrets"]);

const one = Quantity.of(1);

/** The name under which quotas count a resource's objects: `count/<plural>[.<group>]`. */
function countName(group: string, plural: string): string {
  return group === "" ? `count/${plural}` : `count/${plural}.${group}`;
}

/** Counts objects by number only. */
export function objectCountQuota(group: string, plural: string): QuotaEvaluator {
  const counted = countName(group, plural);
  const names = group === "" && bareNames.has(plural) ? [counted, plural] : [counted];
  const usage = new Map(names.map((name) => [name, one]));
  return {
    group,
    plural,
    operations: new Set(["CREATE"]),
    limits: (name) => names.includes(name),
    // Only pods have scopes.
    inScope: () => false,
    missing: () => undefined,
    usage: () => usage,
  };
}
