import { isDeepStrictEqual } from "node:util";
import { ApiError, DecodeError, parseJson } from "@orchernetes/apimachinery";

/** Result of a call: a value, or an error that rejects the input. */
export type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: Error };

/** Calls `work`. Returns errors for which `isRefusal` is true; throws all others, which are bugs. */
export function attempt<T>(work: () => T, isRefusal: (error: unknown) => boolean): Outcome<T> {
  try {
    return { ok: true, value: work() };
  } catch (error) {
    if (error instanceof Error && isRefusal(error)) return { ok: false, error };
    throw error;
  }
}

/** Whether an error is a {@link DecodeError}: the input has the wrong syntax or does not fit its schema. */
export const isDecodeError = (error: unknown): boolean => error instanceof DecodeError;

/** Whether an error is a Status with a 4xx code, which blames the client. */
export const isClientError = (error: unknown): boolean =>
  error instanceof ApiError && (error.status.code ?? 500) >= 400 && (error.status.code ?? 500) < 500;

/** Structural equality that ignores undefined members. */
export function sameJson(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(a, b) || JSON.stringify(a) === JSON.stringify(b);
}

/**
 * Freezes a value deeply, so that writing to it throws. It does not recurse, since cases nest more deeply than the
 * stack allows.
 */
export function deepFreeze<T>(value: T): T {
  const todo: unknown[] = [value];
  for (let item = todo.pop(); todo.length > 0 || item !== undefined; item = todo.pop()) {
    if (typeof item === "object" && item !== null && !Object.isFrozen(item)) {
      Object.freeze(item);
      for (const child of Object.values(item)) if (typeof child === "object" && child !== null) todo.push(child);
    }
  }
  return value;
}

const prototypes = [
  Object.prototype,
  Array.prototype,
  String.prototype,
  Number.prototype,
  Boolean.prototype,
  Function.prototype,
];
const clean = prototypes.map((prototype) => Reflect.ownKeys(prototype).length);

/** Names a built-in prototype that has new properties, and removes them so that later cases start clean. */
export function pollution(): string | undefined {
  for (const [i, prototype] of prototypes.entries()) {
    const keys = Reflect.ownKeys(prototype);
    const added = keys.slice(clean[i]);
    if (added.length === 0) continue;
    for (const key of added) Reflect.deleteProperty(prototype, key);
    return `the prototype of ${prototype.constructor.name} got ${added.map(String).join(", ")}`;
  }
  return undefined;
}

/** Whether an integer fits 64 bits but is not exact as a double. */
export function isLongInteger(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value && !Number.isSafeInteger(Number(value));
}

/**
 * Says what in a value is not plain JSON. Undefined when all of it is, and parsing its text gives the same value. An
 * integer must be a `bigint` exactly when {@link isLongInteger} holds for it.
 */
export function notPlain(root: unknown): string | undefined {
  return notPlainInside(root) ?? notReadAgain(root);
}

function notReadAgain(root: unknown): string | undefined {
  const text = JSON.stringify(root);
  return JSON.stringify(parseJson(text).value) === text
    ? undefined
    : "returns a value whose text parses to another value";
}

function notPlainInside(root: unknown): string | undefined {
  const todo: unknown[] = [root];
  const seen = new Set<unknown>();
  while (todo.length > 0) {
    const value = todo.pop();
    if (seen.has(value)) continue;
    if (typeof value === "bigint") {
      if (isLongInteger(value)) continue;
      return `returns a bigint for ${value}, which fits a number`;
    }
    if (["function", "symbol", "undefined"].includes(typeof value)) return `returns a ${typeof value}`;
    if (typeof value !== "object" || value === null) continue;
    seen.add(value);
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== Array.prototype && prototype !== null) {
      return `returns a ${(value as object).constructor?.name ?? "object of another prototype"}`;
    }
    todo.push(...Object.values(value));
  }
  return undefined;
}

/**
 * Whether an object in JSON text has a key that is written with escapes.
 *
 * The engine reads such keys wrongly once there is an object, however unrelated, whose key at the same place contains
 * a backslash (`"\n"` becomes `"\\"`; nodejs/node#63785). Parsing the same text twice may therefore give two values.
 */
export function hasEscapedKey(text: string): boolean {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[^"]+/gs) ?? [];
  return tokens.some((token, i) => token.startsWith('"') && token.includes("\\") && /^\s*:/.test(tokens[i + 1] ?? ""));
}

/**
 * The start of a text, for messages.
 * @param length - characters to keep
 */
export function shortened(text: string, length = 200): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}
