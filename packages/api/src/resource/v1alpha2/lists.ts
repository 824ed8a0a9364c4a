import { type FieldError, type FieldPath, field } from "@orchernetes/apimachinery";
import { semanticKey } from "../../shared/immutable.ts";
import { repeatedItems } from "../../shared/repeated.ts";

/** Error list of a list with at most `max` items, each good by itself and there once. */
export function validateSet<T>(
  items: readonly T[],
  max: number,
  path: FieldPath,
  check: (item: T, path: FieldPath) => readonly FieldError[],
): FieldError[] {
  const errors: FieldError[] = [];
  const repeated = repeatedItems(items, semanticKey);
  for (const [i, item] of items.entries()) {
    errors.push(...check(item, path.index(i)));
    if (repeated.has(i)) errors.push(field.duplicate(path.index(i), item));
  }
  if (items.length > max) errors.push(field.tooMany(path, items.length, max));
  return errors;
}
