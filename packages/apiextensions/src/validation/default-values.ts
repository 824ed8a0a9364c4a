import type { apiextensions } from "@orchernetes/api";
import { type FieldError, type FieldPath, field } from "@orchernetes/apimachinery";
import type { InterruptibleSteps } from "@orchernetes/kernel";
import { type DefaultRules, defaultRuleErrors } from "../rules/object-rules.ts";
import { partialRuleTree } from "../rules/rule-tree.ts";
import { schemaOf } from "../schema/json-schema.ts";
import { type Structural, structuralOf } from "../schema/structural.ts";

/** What the rules of a definition find in its defaults, in steps. The definition is valid otherwise. */
export function* definitionDefaultErrors({
  spec,
}: apiextensions.CustomResourceDefinition): InterruptibleSteps<readonly FieldError[]> {
  const errors: FieldError[] = [];
  const versions = field("spec").child("versions");
  for (const [i, version] of spec.versions.entries()) {
    const schema = schemaOf(version);
    if (schema === undefined) continue;
    const path = versions.index(i).child("schema", "openAPIV3Schema");
    errors.push(...(yield* defaultRuleErrors(defaultsIn(structuralOf(schema), path))));
  }
  return errors;
}

/** The defaults of a schema about which there are rules. */
function* defaultsIn(structural: Structural, path: FieldPath): Generator<DefaultRules> {
  if (!structural.defaults) return;
  const value = structural.schema.default;
  const rules = structural.hasDefault ? partialRuleTree(structural) : undefined;
  if (rules !== undefined) yield { rules, value, path: path.child("default") };
  if (structural.items !== undefined) yield* defaultsIn(structural.items, path.child("items"));
  for (const [name, property] of structural.properties) yield* defaultsIn(property, path.child("properties").key(name));
}
