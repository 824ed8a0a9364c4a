import { dynType, isDynamic, listOf, mapOf, type Type } from "../language/types.ts";

/** What the parameters of an overload stand for in one call: in `[1].indexOf(2)` of `list(A).indexOf(A)`, A is int. */
export type Bindings = ReadonlyMap<string, Type>;

/** Types that null belongs to, as messages of protocol buffers may be absent. Texts, numbers, lists and maps never are null. */
const nullable: ReadonlySet<Type["kind"]> = new Set(["object", "timestamp", "duration", "opaque"]);

/**
 * Whether a value of a type may stand where another is declared.
 *
 * @returns the bindings, extended by the parameters that the declared type names; undefined if it may not
 */
export function assign(declared: Type, actual: Type, bindings: Bindings): Bindings | undefined {
  if (declared.kind === "parameter") {
    const bound = bindings.get(declared.name);
    const joined = bound === undefined ? actual : join(bound, actual);
    return joined === undefined ? undefined : new Map(bindings).set(declared.name, joined);
  }
  if (isDynamic(declared) || isDynamic(actual)) return bindings;
  if (declared.kind === "list") {
    return actual.kind === "list" ? assign(declared.element, actual.element, bindings) : undefined;
  }
  if (declared.kind === "map") {
    if (actual.kind !== "map") return undefined;
    const keys = assign(declared.key, actual.key, bindings);
    return keys === undefined ? undefined : assign(declared.value, actual.value, keys);
  }
  return join(declared, actual) === undefined ? undefined : bindings;
}

/** The type of what has one type or the other; undefined if they differ. */
export function join(a: Type, b: Type): Type | undefined {
  if (a.kind === "free") return b;
  if (b.kind === "free") return a;
  if (isDynamic(a) || isDynamic(b)) return dynType;
  if (a.kind === "null_type" && nullable.has(b.kind)) return b;
  if (b.kind === "null_type" && nullable.has(a.kind)) return a;
  if (a.kind === "list" && b.kind === "list") {
    const element = join(a.element, b.element);
    return element === undefined ? undefined : listOf(element);
  }
  if (a.kind === "map" && b.kind === "map") {
    const key = join(a.key, b.key);
    const value = join(a.value, b.value);
    return key === undefined || value === undefined ? undefined : mapOf(key, value);
  }
  if ((a.kind === "object" && b.kind === "object") || (a.kind === "opaque" && b.kind === "opaque"))
    return a.name === b.name ? a : undefined;
  return a.kind === b.kind ? a : undefined;
}

/** A type with its parameters replaced; those that nothing is bound to are dynamic. */
export function substitute(type: Type, bindings: Bindings): Type {
  switch (type.kind) {
    case "parameter":
      return bindings.get(type.name) ?? dynType;
    case "list":
      return listOf(substitute(type.element, bindings));
    case "map":
      return mapOf(substitute(type.key, bindings), substitute(type.value, bindings));
    default:
      return type;
  }
}
