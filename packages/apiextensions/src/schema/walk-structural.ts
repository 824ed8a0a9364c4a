import type { FieldPath } from "@orchernetes/apimachinery";
import { isPlain, type Structural } from "./structural.ts";

/** What {@link walkStructural} does where. */
export interface StructuralVisitor {
  /** Whether a schema or one below it is of interest; the others are not walked. */
  readonly concerns: (structural: Structural) => boolean;
  /** Called for a value before the values in it. */
  readonly visit: (value: unknown, structural: Structural, path: FieldPath) => void;
}

/**
 * Walks a value along its schema, as deep as the schema goes: values that no schema describes are skipped. The depth of the recursion is
 * that of the schema, however deep the value is.
 */
export function walkStructural(
  value: unknown,
  structural: Structural | undefined,
  path: FieldPath,
  visitor: StructuralVisitor,
): void {
  if (structural === undefined || !visitor.concerns(structural)) return;
  visitor.visit(value, structural, path);
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) walkStructural(item, structural.items, path.index(i), visitor);
  } else if (isPlain(value)) {
    for (const [name, item] of Object.entries(value)) {
      const property = structural.properties.get(name);
      if (property !== undefined) walkStructural(item, property, path.child(name), visitor);
      else walkStructural(item, structural.additional, path.key(name), visitor);
    }
  }
}
