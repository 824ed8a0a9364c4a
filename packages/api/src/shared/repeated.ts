import { type FieldError, type FieldPath, field } from "@orchernetes/apimachinery";
import { semanticKey } from "./immutable.ts";

/**
 * Indices of items that equal an earlier item, in linear time: lists come from clients, so items must not be compared
 * pairwise.
 *
 * @param keyOf returns the same key for equal items; `semanticKey` does so for values that are not plain text
 */
export function repeatedItems<T>(items: readonly T[], keyOf: (item: T) => unknown): ReadonlySet<number> {
  const seen = new Set<unknown>();
  const repeated = new Set<number>();
  for (const [i, item] of items.entries()) {
    const key = keyOf(item);
    if (seen.has(key)) repeated.add(i);
    seen.add(key);
  }
  return repeated;
}

/** The first item for each key. */
export function firstByKey<T, K>(items: readonly T[] | undefined, keyOf: (item: T) => K): ReadonlyMap<K, T> {
  const found = new Map<K, T>();
  for (const item of items ?? []) {
    const key = keyOf(item);
    if (!found.has(key)) found.set(key, item);
  }
  return found;
}

/** Validates a list with at most `max` items, each of which is valid and occurs once. */
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
