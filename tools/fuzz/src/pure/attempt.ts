import { isDeepStrictEqual } from "node:util";
import { ApiError, DecodeError, parseJson } from "@orchernetes/apimachinery";

/** What became of a call: a value, or a refusal that is the input's fault. Anything else it threw is thrown on. */
export type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: Error };

/** Calls `work`; errors for which `isRefusal` holds are outcomes. */
export function attempt<T>(work: () => T, isRefusal: (error: unknown) => boolean): Outcome<T> {
  try {
    return { ok: true, value: work() };
  } catch (error) {
    if (error instanceof Error && isRefusal(error)) return { ok: false, error };
    throw error;
  }
}

export const isDecodeError = (error: unknown): boolean => error instanceof DecodeError;

/** A Status that blames the client. */
export const isClientError = (error: unknown): boolean =>
  error instanceof ApiError && (error.status.code ?? 500) >= 400 && (error.status.code ?? 500) < 500;

/** Structural equality in which members that are undefined do not count. */
export function sameJson(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(a, b) || JSON.stringify(a) === JSON.stringify(b);
}

/** Freezes a value deeply, so that writing to it throws. Does not recurse. */
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

/** Says which built-in prototype has got new properties, and removes them. */
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

/** Whether 64 bits hold an integer and a double does not. */
export function isLongInteger(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value && !Number.isSafeInteger(Number(value));
}

/**
 * Says what in a value is no plain JSON; undefined when all of it is, and its text is read as that value again. An integer is a
 * `bigint` where 64 bits hold it and a double does not, and nowhere else.
 */
export function notPlain(root: unknown): string | undefined {
  return notPlainInside(root) ?? notReadAgain(root);
}

function notReadAgain(root: unknown): string | undefined {
  const text = JSON.stringify(root);
  return JSON.stringify(parseJson(text).value) === text ? undefined : "gives a value whose text is read as another";
}

function notPlainInside(root: unknown): string | undefined {
  const todo: unknown[] = [root];
  const seen = new Set<unknown>();
  while (todo.length > 0) {
    const value = todo.pop();
    if (seen.has(value)) continue;
    if (typeof value === "bigint") {
      if (isLongInteger(value)) continue;
      return `gives a bigint for ${value}, which is a number`;
    }
    if (["function", "symbol", "undefined"].includes(typeof value)) return `gives a ${typeof value}`;
    if (typeof value !== "object" || value === null) continue;
    seen.add(value);
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== Array.prototype && prototype !== null) {
      return `gives a ${(value as object).constructor?.name ?? "thing of another prototype"}`;
    }
    todo.push(...Object.values(value));
  }
  return undefined;
}

/**
 * Whether an object in JSON text has a key that is written with escapes. The engine reads such keys wrongly once there is an
 * object, however unrelated, whose key at the same place holds a backslash (`"\n"` becomes `"\\"`; nodejs/node#63785), so
 * reading the same text twice may give two values.
 */
export function hasEscapedKey(text: string): boolean {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[^"]+/gs) ?? [];
  return tokens.some((token, i) => token.startsWith('"') && token.includes("\\") && /^\s*:/.test(tokens[i + 1] ?? ""));
}

/** The start of some text, for messages. */
export function shortened(text: string, length = 200): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}
