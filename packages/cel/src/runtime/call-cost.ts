import { patternSize } from "../values/patterns.ts";
import { isList, isOpaque, sizeOf, type Value } from "../values/value.ts";

/**
 * The prices of steps, in Kubernetes' units of cost (`interpreter/runtimecost.go` of cel-go, `library/cost.go` of Kubernetes).
 *
 * A unit is about the time of one variable lookup. The prices are part of the API: whether a rule is rejected as too expensive must not
 * depend on the server, so they stay as they are even where this implementation is faster or slower.
 */
export const costs = {
  /** Reading a variable, a field or an item. */
  select: 1,
  /** Building a list or a map, whatever its size: its items were charged when they were computed. */
  list: 10,
  map: 30,
  /** For each character of a text that is read. */
  character: 0.1,
  /** For each character of a regular expression. */
  patternCharacter: 0.25,
  /** For each character that is counted, where Kubernetes charges 1 for any number of them. */
  counted: 0.01,
  /** Asking the authorizers, which allows for two questions in an expression. */
  accessCheck: 350_000,
} as const;

/** The cost of reading a value from end to end. It is rounded up, so that even a short text costs a unit. */
const scan = (value: Value, times = 1): number => Math.ceil(sizeOf(value) * times * costs.character);

/**
 * The cost of a call, by the sizes of its arguments; the target of a method is the first one.
 *
 * It is charged before the function runs: a call that would exceed the limit never starts. Reading what lies inside the arguments is
 * charged while it is read, see {@link workAtOnce}.
 */
export function callCost(name: string, args: readonly Value[]): number {
  const [first = null, second = null] = args;
  switch (name) {
    // Only their operands cost: those that are evaluated charge for themselves.
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
      // Kubernetes charges 1, and reads the whole text.
      return typeof first === "string" ? Math.max(1, Math.ceil(first.length * costs.counted)) : 1;
    case "replace":
    case "split":
      return scan(first, 2);
    // RE2 matches in time proportional to text times pattern. An empty text is counted as one character, since it is matched as well.
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
    // A comparison ends where the shorter value does.
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

/** A pattern is charged by its compiled size: `(a{10}){100}` is short but compiles to a thousand instructions. */
const sizeOfPattern = (value: Value): number => (typeof value === "string" ? patternSize(value) : sizeOf(value));

/** The cost that is known only after a call, because it depends on the size of the result. */
export function resultCost(name: string, result: Value): number {
  return name === "join" ? scan(result, 2) : 0;
}

/**
 * Functions of times: Kubernetes charges 1 for them, but through the library they take as long as {@link timeUnits} other steps. The
 * difference counts for pauses, and for whether an evaluation is quick, but never for the limit.
 */
const timeFunctions: ReadonlySet<string> = new Set(["timestamp", "duration"]);
const timeUnits = 30;

/** The same with the name of a time zone, whose rules are looked up. */
const zoneUnits = 1000;

/** The time that a call takes beyond its cost, in units of cost. */
export function slownessOf(name: string, [first = null, second = null]: readonly Value[]): number {
  // The query of a URL is split anew by each call.
  if (name === "getQuery") return isOpaque(first) ? first.text.length : 0;
  const isTime = typeof first === "object" && first !== null && "message" in first;
  if (isTime && typeof second === "string") return zoneUnits;
  return isTime || timeFunctions.has(name) ? timeUnits : 0;
}
