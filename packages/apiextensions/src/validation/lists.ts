import { type FieldError, type FieldPath, field, literal } from "@orchernetes/apimachinery";
import { isPlain, type Structural } from "../schema/structural.ts";
import { canonical } from "./value.ts";

/** Items that occur twice in lists of type set, and in lists of type map by their keys. */
export function duplicateItems(
  value: unknown,
  structural: Structural | undefined,
  path: FieldPath,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  walk(value, structural, path, errors);
  return errors;
}

function walk(value: unknown, structural: Structural | undefined, path: FieldPath, errors: FieldError[]): void {
  if (structural?.keyed !== true) return;
  if (Array.isArray(value)) {
    duplicates(value, structural, path, errors);
    for (const [i, item] of value.entries()) walk(item, structural.items, path.index(i), errors);
  } else if (isPlain(value)) {
    for (const [name, item] of Object.entries(value)) {
      const property = structural.properties.get(name);
      if (property !== undefined) walk(item, property, path.child(name), errors);
      else walk(item, structural.additional, path.key(name), errors);
    }
  }
}

function duplicates(list: readonly unknown[], { schema }: Structural, path: FieldPath, errors: FieldError[]): void {
  const type = schema["x-orchernetes-list-type"];
  if (type !== "set" && type !== "map") return;
  const keys = schema["x-orchernetes-list-map-keys"] ?? [];
  const seen = new Set<string>();
  const told = new Set<string>();
  for (const [i, item] of list.entries()) {
    const key = type === "set" ? item : keysOf(item, keys);
    const text = canonical(key) ?? "null";
    if (seen.has(text) && !told.has(text)) {
      told.add(text);
      errors.push(field.duplicate(path.index(i), typeof key === "object" ? literal(goMap(key)) : key));
    }
    seen.add(text);
  }
}

function keysOf(item: unknown, keys: readonly string[]): Readonly<Record<string, unknown>> {
  if (!isPlain(item)) return {};
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(item, key)).map((key) => [key, item[key]]));
}

/** `map[string]interface {}{"name":"a"}`, as messages of this kind have been. */
function goMap(value: unknown): string {
  if (!isPlain(value)) return canonical(value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${JSON.stringify(value[key])}`);
  return `map[string]interface {}{${members.join(", ")}}`;
}
