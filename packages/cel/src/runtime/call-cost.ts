import { patternSize } from "../values/patterns.ts";
import { isList, sizeOf, type Value } from "../values/value.ts";

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
  /** For each character that is counted, where the original charges 1 for any number of them. */
  counted: 0.01,
  /** Asking the authorizers, which allows for two questions in an expression. */
  accessCheck: 350_000,
} as const;

const scan = (value: Value, times = 1): number => Math.ceil(sizeOf(value) * times * costs.character);

/**
 * What a call costs, by the sizes of its arguments; the target of a method is the first one. What a call reads inside of its arguments
 * is charged when it is read.
 */
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
      return isList(first) ? first.size : Math.max(1, scan(first));
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
      return typeof first === "string" ? Math.max(1, Math.ceil(first.length * costs.counted)) : 1;
    case "replace":
    case "split":
      return scan(first, 2);
    case "find":
    case "findAll":
    case "matches":
      return (
        Math.ceil((1 + sizeOf(first)) * costs.character) * Math.ceil(sizeOfPattern(second) * costs.patternCharacter)
      );
    case "contains":
      return scan(first) * scan(second);
    case "@in":
      return isList(second) ? second.size : 1;
    case "bytes":
    case "string":
      return typeof first === "string" || first instanceof Uint8Array ? Math.max(1, scan(first)) : 1;
    case "_==_":
    case "_!=_":
      return Math.ceil(Math.min(sizeOf(first), sizeOf(second)) * costs.character);
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
        : 1;
    default:
      return 1;
  }
}

const sizeOfPattern = (value: Value): number => (typeof value === "string" ? patternSize(value) : sizeOf(value));

/** Functions whose cost is known by their result only. */
export function resultCost(name: string, result: Value): number {
  return name === "join" ? scan(result, 2) : 0;
}

/** Functions of times. A call of them takes as long as others that cost so much. */
const timeFunctions: ReadonlySet<string> = new Set(["timestamp", "duration"]);
const timeUnits = 30;

/** How much longer a call takes than it costs, in units of cost. */
export function slownessOf(name: string, first: Value | undefined): number {
  const isTime = typeof first === "object" && first !== null && "message" in first;
  return isTime || timeFunctions.has(name) ? timeUnits : 0;
}
