import { DecodeError, type FieldError, type FieldPath, field } from "@orchernetes/apimachinery";
import { applyDefaults, DefaultsBudget } from "../schema/defaults.ts";
import { Pruner } from "../schema/prune.ts";
import type { Structural } from "../schema/structural.ts";
import { duplicateItems } from "./lists.ts";
import { compileCheck } from "./value.ts";

/**
 * Whether the defaults of a schema are values that it would accept and keep. They are set in objects of users, who could not correct an
 * invalid one: the error belongs to the author of the definition.
 */
export function defaultErrors(structural: Structural, path: FieldPath): readonly FieldError[] {
  const found: Found = { errors: [], budget: new DefaultsBudget() };
  walk(structural, path, found, true);
  return found.errors;
}

interface Found {
  readonly errors: FieldError[];
  /** Shared by all defaults of a schema: nested defaults are applied again at each level. */
  readonly budget: DefaultsBudget;
}

function walk(structural: Structural, path: FieldPath, found: Found, root = false): void {
  const { errors } = found;
  if (!structural.defaults) return;
  if (structural.hasDefault) errors.push(...valueErrors(structural, path.child("default"), found.budget));
  for (const [name, property] of structural.properties) {
    const at = path.child("properties").key(name);
    if (root && name === "metadata" && property.defaults) {
      errors.push(field.forbidden(at.child("default"), "must not be set in top-level metadata"));
    } else walk(property, at, found);
  }
  if (structural.items !== undefined) walk(structural.items, path.child("items"), found);
  if (structural.additional !== undefined) walk(structural.additional, path.child("additionalProperties"), found);
}

/** Does with one default what the server does with an object: prunes it, adds the defaults within it, and validates the result. */
function valueErrors(structural: Structural, path: FieldPath, budget: DefaultsBudget): readonly FieldError[] {
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
  applyDefaults(pruned, structural, budget);
  const found: FieldError[] = [];
  compileCheck(schema)(pruned, "", found);
  found.push(...duplicateItems(pruned, structural, field("")));
  return found.map((error) => ({
    ...error,
    field: error.field === "" || error.field === "<nil>" ? String(path) : `${path}.${error.field}`,
  }));
}
