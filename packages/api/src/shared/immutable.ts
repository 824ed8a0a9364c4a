import { type FieldError, field, type Path } from "@orchernetes/apimachinery";

/** Message of errors about fields that must not change (upstream: `apimachinery/validation.FieldImmutableErrorMsg`). */
export const immutableMessage = "field is immutable";

/**
 * Whether two values are equal for the API: deep equality in which absent, null, empty lists and empty maps are the
 * same.
 *
 * Upstream: `apiequality.Semantic.DeepEqual`. Clients that drop empty members on a round trip must not appear to change
 * an object.
 */
export function semanticEqual(a: unknown, b: unknown): boolean {
  if (a === b) {
    return true;
  }
  if (isEmpty(a) || isEmpty(b)) {
    return isEmpty(a) && isEmpty(b);
  }
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) {
    return false;
  }
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, i) => semanticEqual(item, b[i]))
    );
  }
  const left = a as Readonly<Record<string, unknown>>;
  const right = b as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(left)) {
    if (!semanticEqual(left[key], Object.hasOwn(right, key) ? right[key] : undefined)) {
      return false;
    }
  }
  return Object.keys(right).every((key) => Object.hasOwn(left, key) || isEmpty(right[key]));
}

/**
 * A text that is equal for two values if and only if they are {@link semanticEqual}: the key of maps and sets, for
 * comparing many values in linear time.
 */
export function semanticKey(value: unknown): string {
  if (isEmpty(value)) return "";
  if (Array.isArray(value)) return `[${value.map(semanticKey).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "";
  const members = value as Readonly<Record<string, unknown>>;
  const parts = Object.keys(members)
    .sort()
    .filter((key) => !isEmpty(members[key]))
    .map((key) => `${JSON.stringify(key)}:${semanticKey(members[key])}`);
  return `{${parts.join(",")}}`;
}

/** Absent, null, a list of nothing, or a map of nothing but such values. */
function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) {
    return true;
  }
  if (typeof value !== "object") {
    return false;
  }
  if (Array.isArray(value)) return value.length === 0;
  for (const key in value) if (!isEmpty((value as Readonly<Record<string, unknown>>)[key])) return false;
  return true;
}

/** `field is immutable` unless both values are the same to the API. */
export function immutable(value: unknown, old: unknown, path: Path): FieldError[] {
  return semanticEqual(value, old) ? [] : [field.invalid(path, value, immutableMessage)];
}
