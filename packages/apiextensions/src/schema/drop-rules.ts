import type { apiextensions } from "@orchernetes/api";
import type { Draft } from "@orchernetes/apimachinery";
import { schemaOf } from "./json-schema.ts";

type Definition = apiextensions.CustomResourceDefinition;
type Json = Record<string, unknown>;

const RULES = "x-orchernetes-validations";

/** Keywords whose value is a schema or a list of schemas, and those whose value has schemas by name. */
const direct = ["items", "additionalItems", "additionalProperties", "not", "allOf", "anyOf", "oneOf"] as const;
const byName = ["properties", "patternProperties", "definitions", "dependencies"] as const;

/**
 * Removes the rules in the expression language from a definition, while their feature gate is off. Those of a definition that has some
 * already stay: an update must not take away what was stored while the feature was on.
 */
export function dropRules(draft: Draft<Definition>, old: Definition | undefined): void {
  if (old !== undefined && schemasOf(old).some((schema) => RULES in schema)) return;
  for (const schema of schemasOf(draft as Definition)) delete schema[RULES];
}

/** Every schema of a definition, those inside of others included. */
function schemasOf({ spec }: Definition): readonly Json[] {
  const found: Json[] = [];
  const next: unknown[] = spec.versions.map(schemaOf);
  for (let value = next.pop(); value !== undefined || next.length > 0; value = next.pop()) {
    if (Array.isArray(value)) next.push(...value);
    else if (typeof value === "object" && value !== null) {
      const schema = value as Json;
      found.push(schema);
      for (const key of direct) if (Object.hasOwn(schema, key)) next.push(schema[key]);
      for (const key of byName) if (Object.hasOwn(schema, key)) next.push(Object.values(schema[key] ?? {}));
    }
  }
  return found;
}
