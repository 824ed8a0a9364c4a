import { canonicalText, type FieldError, type FieldPath, field, literal } from "@orchernetes/apimachinery";
import { isPlain, type Structural } from "../schema/structural.ts";
import { walkStructural } from "../schema/walk-structural.ts";

/** Items that occur twice in lists of type set, and in lists of type map by their keys. Server-side apply could not tell them apart. */
export function duplicateItems(
  value: unknown,
  structural: Structural | undefined,
  path: FieldPath,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  walkStructural(value, structural, path, {
    concerns: ({ keyed }) => keyed,
    visit: (found, at, where) => {
      if (Array.isArray(found)) duplicates(found, at, where, errors);
    },
  });
  return errors;
}

function duplicates(list: readonly unknown[], { schema }: Structural, path: FieldPath, errors: FieldError[]): void {
  const type = schema["x-orchernetes-list-type"];
  if (type !== "set" && type !== "map") return;
  const keys = schema["x-orchernetes-list-map-keys"] ?? [];
  const seen = new Set<string>();
  const told = new Set<string>();
  for (const [i, item] of list.entries()) {
    const key = type === "set" ? item : keysOf(item, keys);
    const text = canonicalText(key);
    if (seen.has(text) && !told.has(text)) {
      told.add(text);
      errors.push(field.duplicate(path.index(i), typeof key === "object" ? literal(goMap(key)) : key));
    }
    seen.add(text);
  }
}

/** The keys of an item, as the message of a duplicate shows them. */
function keysOf(item: unknown, keys: readonly string[]): Readonly<Record<string, unknown>> {
  if (!isPlain(item)) return {};
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(item, key)).map((key) => [key, item[key]]));
}

/** `map[string]interface {}{"name":"a"}`, as messages of Kubernetes print a map. */
function goMap(value: unknown): string {
  if (!isPlain(value)) return canonicalText(value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${JSON.stringify(value[key])}`);
  return `map[string]interface {}{${members.join(", ")}}`;
}
