import { Quantity } from "@orchernetes/apimachinery";
import type { Evaluator } from "./evaluator.ts";

/** Core resources that quotas also know by their bare names. */
const SHORT_NAMES: ReadonlySet<string> = new Set(["configmaps", "resourcequotas", "replicationcontrollers", "secrets"]);

const one = Quantity.of(1);

/** The name under which quotas count a resource's objects: `count/<plural>[.<group>]`. */
export function countName(group: string, plural: string): string {
  return group === "" ? `count/${plural}` : `count/${plural}.${group}`;
}

/** Counts objects and looks at nothing in them. */
export function objectCount(group: string, plural: string): Evaluator {
  const names =
    group === "" && SHORT_NAMES.has(plural) ? [countName(group, plural), plural] : [countName(group, plural)];
  return {
    operations: new Set(["CREATE"]),
    limits: (name) => names.includes(name),
    // Objects without scopes are in none.
    inScope: () => false,
    missing: () => undefined,
    usage: () => new Map(names.map((name) => [name, one])),
  };
}
