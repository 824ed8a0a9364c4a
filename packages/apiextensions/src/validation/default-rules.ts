import { DecodeError, type FieldError, type FieldPath, field } from "@orchernetes/apimachinery";
import { applyDefaults } from "../schema/defaults.ts";
import { Pruner } from "../schema/prune.ts";
import type { Structural } from "../schema/structural.ts";
import { duplicateItems } from "./lists.ts";
import { compileCheck } from "./value.ts";

/** Whether the defaults of a schema are values that it would accept and keep. */
export function defaultErrors(structural: Structural, path: FieldPath): readonly FieldError[] {
  const errors: FieldError[] = [];
  walk(structural, path, errors, true);
  return errors;
}

function walk(structural: Structural, path: FieldPath, errors: FieldError[], root = false): void {
  if (!structural.defaults) return;
  if (structural.hasDefault) errors.push(...valueErrors(structural, path.child("default")));
  for (const [name, property] of structural.properties) {
    const at = path.child("properties").key(name);
    if (root && name === "metadata" && property.defaults) {
      errors.push(field.forbidden(at.child("default"), "must not be set in top-level metadata"));
    } else walk(property, at, errors);
  }
  if (structural.items !== undefined) walk(structural.items, path.child("items"), errors);
  if (structural.additional !== undefined) walk(structural.additional, path.child("additionalProperties"), errors);
}

function valueErrors(structural: Structural, path: FieldPath): readonly FieldError[] {
  const { schema } = structural;
  const unknown: string[] = [];
  let pruned: unknown;
  try {
    pruned = new Pruner({ onUnknown: (at) => unknown.push(at()) }).prune(schema.default, structural);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return [field.invalid(path, schema.default, `must result in valid metadata: ${error.message}`)];
  }
  if (unknown.length > 0) return [field.invalid(path, schema.default, "must not have unknown fields")];
  applyDefaults(pruned, structural);
  const found: FieldError[] = [];
  compileCheck(schema)(pruned, "", found);
  found.push(...duplicateItems(pruned, structural, field("")));
  return found.map((error) => ({
    ...error,
    field: error.field === "" || error.field === "<nil>" ? String(path) : `${path}.${error.field}`,
  }));
}
