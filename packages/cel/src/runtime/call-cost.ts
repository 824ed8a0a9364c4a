import { isList, isMap, itemsOf, sizeOf, type Value } from "../values/value.ts";

/** What steps cost, in the original's units. */
export const costs = {
  /** Reading a variable, a field or an item. */
  select: 1,
  list: 10,
  map: 30,
  /** For each character of a text that is read. */
  character: 0.1,
  /** For each character of a regular expression. */
  patternCharacter: 0.25,
  /** For each character that is counted and each item that is copied, where the original charges 1 for any number of them. */
  copied: 0.01,
  /** Asking the authorizers, which allows for two questions in an expression. */
  accessCheck: 350_000,
} as const;

const scan = (value: Value, times = 1): number => Math.ceil(sizeOf(value) * times * costs.character);

/** What a call costs, by the sizes of its arguments; the target of a method is the first one. */
export function callCost(name: string, args: readonly Value[]): number {
  const [first = null, second = null] = args;
  switch (name) {
    case "_&&_":
    case "_||_":
    case "_?_:_":
      return 0;
    case "check":
      return costs.accessCheck;
    case "isSorted":
    case "sum":
    case "max":
    case "min":
    case "indexOf":
    case "lastIndexOf":
      return traversal(first);
    case "url":
    case "isURL":
    case "lowerAscii":
    case "upperAscii":
    case "substring":
    case "trim":
    case "startsWith":
    case "endsWith":
      return scan(first);
    case "size":
    case "charAt":
      // The original charges 1, and reads the whole text.
      return typeof first === "string" ? Math.max(1, Math.ceil(first.length * costs.copied)) : 1;
    case "replace":
    case "split":
      return scan(first, 2);
    case "find":
    case "findAll":
    case "matches":
      return Math.ceil((1 + sizeOf(first)) * costs.character) * Math.ceil(sizeOf(second) * costs.patternCharacter);
    case "contains":
      return scan(first) * scan(second);
    case "@in":
      return isList(second) ? second.size : 1;
    case "bytes":
    case "string":
      return typeof first === "string" || first instanceof Uint8Array ? Math.max(1, scan(first)) : 1;
    case "_==_":
    case "_!=_":
      return compared(first, second);
    case "_<_":
    case "_<=_":
    case "_>_":
    case "_>=_":
      return typeof first === "string" || first instanceof Uint8Array
        ? Math.ceil(Math.min(sizeOf(first), sizeOf(second)) * costs.character)
        : 1;
    case "_+_":
      return typeof first === "string" || first instanceof Uint8Array
        ? Math.ceil((sizeOf(first) + sizeOf(second)) * costs.character)
        : isList(second)
          ? Math.max(1, Math.ceil(second.size * costs.copied))
          : 1;
    default:
      return 1;
  }
}

/** Functions whose cost is known by their result only. */
export function resultCost(name: string, result: Value): number {
  return name === "join" ? scan(result, 2) : 0;
}

/** Reading all items of a list, or a text, once. */
function traversal(value: Value): number {
  if (!isList(value)) return Math.max(1, scan(value));
  let cost = value.size;
  for (const item of itemsOf(value)) {
    if (typeof item === "string" || item instanceof Uint8Array) cost += scan(item);
  }
  return cost;
}

/**
 * Comparing two values for equality. The original counts the smaller number of entries; here every value inside counts, too,
 * so that comparing large objects over and over stays within the limit in time.
 */
function compared(a: Value, b: Value): number {
  const base = Math.ceil(Math.min(sizeOf(a), sizeOf(b)) * costs.character);
  return isList(a) || isMap(a)
    ? Math.max(base, Math.ceil(Math.min(weight(a, 0), weight(b, 0)) * costs.character))
    : base;
}

/** How many values lie in one, as far as one comparison may cost at all. */
function weight(value: Value, depth: number): number {
  if (depth > 20) return 1;
  let count = 1;
  if (isList(value)) {
    for (const item of itemsOf(value))
      count += typeof item === "object" && item !== null && "kind" in item ? weight(item as Value, depth + 1) : 1;
  } else if (isMap(value)) {
    for (const key of value.keys()) {
      const item = value.get(key);
      count += typeof item === "object" && item !== null && "kind" in item ? weight(item as Value, depth + 1) : 1;
    }
  }
  return count;
}
