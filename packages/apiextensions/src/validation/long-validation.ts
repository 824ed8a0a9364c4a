import type { apiextensions } from "@orchernetes/api";
import { type FieldError, type FieldPath, field } from "@orchernetes/apimachinery";
import type { InterruptibleSteps } from "@orchernetes/kernel";
import { definitionRuleErrors } from "../rules/definition-rules.ts";
import { type DefaultRules, defaultRuleErrors } from "../rules/object-rules.ts";
import { partialRuleTree } from "../rules/rule-tree.ts";
import { schemaOf } from "../schema/json-schema.ts";
import { type Structural, structuralOf } from "../schema/structural.ts";
import { isKept } from "./kept-versions.ts";

type Definition = apiextensions.CustomResourceDefinition;

/**
 * What is wrong with the rules of a definition, and with its defaults by these rules, in steps: a schema may have thousands of rules, and
 * compiling them takes seconds. Schemas in which something else is wrong are
 * left out; if a default is wrong, the rules are not looked at.
 */
export function* longDefinitionErrors(
  { spec }: Definition,
  old: Definition | undefined,
  found: readonly FieldError[],
): InterruptibleSteps<readonly FieldError[]> {
  const errors: FieldError[] = [];
  for (const [i, version] of spec.versions.entries()) {
    const schema = schemaOf(version);
    const path = field("spec").child("versions").index(i).child("schema", "openAPIV3Schema");
    const isWrong = found.some((error) => error.field.startsWith(String(path)));
    if (schema === undefined || isWrong || isKept(version, spec, old?.spec)) continue;
    const ofDefaults = yield* defaultRuleErrors(defaultsIn(structuralOf(schema), path));
    errors.push(...(ofDefaults.length > 0 ? ofDefaults : yield* definitionRuleErrors(schema, path)));
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
