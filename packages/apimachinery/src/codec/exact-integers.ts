import { setOwn } from "./own-members.ts";

/**
 * 64-bit integers that a double cannot represent. They occur where values are kept unchanged: in custom resources and
 * in revisions of workloads. They are parsed into `bigint`s, and written as JSON numbers. A controller that reads and
 * writes such an object must not change a number by rounding it.
 */

const maxInt64 = 2n ** 63n - 1n;
const minInt64 = -(2n ** 63n);

/** The smallest number of digits of an integer beyond ±2⁵³. */
const digits = 16;

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/**
 * Whether the text may hold an integer beyond ±2⁵³: a run of 16 digits. Checks only every sixteenth character, since such a run
 * covers one of them, so the cost is negligible for nearly all texts, which have none.
 */
export function mayHoldLongInteger(text: string): boolean {
  for (let i = digits - 1; i < text.length; i += digits) {
    if (!isDigit(text.charCodeAt(i))) continue;
    let first = i;
    while (first > 0 && isDigit(text.charCodeAt(first - 1))) first--;
    let last = i;
    while (last + 1 < text.length && isDigit(text.charCodeAt(last + 1))) last++;
    if (last - first + 1 >= digits) return true;
  }
  return false;
}

/** The value of a JSON integer: exact if it fits into 64 bits, otherwise a double, as in Kubernetes. */
function integerOf(value: bigint): number | bigint {
  if (value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(value);
  return value >= minInt64 && value <= maxInt64 ? value : Number(value);
}

/** Marks an integer in text for JSON.parse. It is random, so that a document cannot contain it. */
const mark = `#${crypto.randomUUID().slice(0, 18)}:`;

/**
 * Parses text for which {@link mayHoldLongInteger} is true. Avoids a reviver, which would be called for each value.
 *
 * @param text valid JSON
 */
export function parseWithLongIntegers(text: string): unknown {
  const marked = markLongIntegers(text);
  const value: unknown = JSON.parse(marked ?? text);
  if (marked === undefined) return value;
  writeLongIntegers();
  return unmark(value);
}

/** Whether the digits are an integer that fits into 64 bits and that a double cannot represent. */
function isLong(text: string, negative: boolean): boolean {
  switch (text.length) {
    case 16:
      return text > "9007199254740991";
    case 17:
    case 18:
      return true;
    case 19:
      return text <= (negative ? "9223372036854775808" : "9223372036854775807");
    default:
      return false;
  }
}

/** The text with marked strings in place of its long integers; undefined when there are none. */
function markLongIntegers(text: string): string | undefined {
  const parts: string[] = [];
  let copied = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x22) {
      i = endOfString(text, i);
      continue;
    }
    if (code !== 0x2d && !isDigit(code)) continue;
    const first = code === 0x2d ? i + 1 : i;
    let end = first;
    while (isDigit(text.charCodeAt(end))) end++;
    const next = text.charCodeAt(end);
    if (next === 0x2e || next === 0x65 || next === 0x45) {
      // A fraction or an exponent follows: the number is a double.
      while (/[\d.eE+-]/.test(text.charAt(end))) end++;
    } else if (end - first >= digits && isLong(text.slice(first, end), first > i)) {
      parts.push(text.slice(copied, i), `"${mark}${text.slice(i, end)}"`);
      copied = end;
    }
    i = end - 1;
  }
  if (parts.length === 0) return undefined;
  parts.push(text.slice(copied));
  return parts.join("");
}

/**
 * Index of the closing quote of the string that begins at `start`: the first one that an even number of backslashes
 * precedes; -1 if there is none.
 */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0) {
    let first = end;
    while (text.charCodeAt(first - 1) === 0x5c) {
      first--;
    }
    if ((end - first) % 2 === 0) {
      return end;
    }
    end = text.indexOf('"', end + 1);
  }
  return end;
}

function unmark(root: unknown): unknown {
  const read = (value: unknown): unknown =>
    typeof value === "string" && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value;
  replaceScalars(root, read);
  return read(root);
}

/**
 * Replaces scalars for which `read` returns another value. It does not recurse, so depth is not limited by the stack.
 */
function replaceScalars(root: unknown, read: (value: unknown) => unknown): void {
  const seen = new Set<object>();
  const todo: object[] = typeof root === "object" && root !== null ? [root] : [];
  for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
    // YAML aliases may refer to a value from many places.
    if (seen.has(at)) continue;
    seen.add(at);
    if (Array.isArray(at)) {
      for (let i = 0; i < at.length; i++) {
        const value: unknown = at[i];
        if (typeof value === "object" && value !== null) todo.push(value);
        else at[i] = read(value);
      }
      continue;
    }
    const object = at as Record<string, unknown>;
    for (const key of Object.keys(object)) {
      const value = object[key];
      if (typeof value === "object" && value !== null) {
        todo.push(value);
        continue;
      }
      const other = read(value);
      if (other !== value) setOwn(object, key, other);
    }
  }
}

/** Replaces `bigint`s that a number represents exactly by numbers: YAML that may hold long integers is parsed into `bigint`s. */
export function normalizeIntegers(root: unknown): unknown {
  const read = (value: unknown): unknown => (typeof value === "bigint" ? integerOf(value) : value);
  writeLongIntegers();
  replaceScalars(root, read);
  return read(root);
}

/** `JSON.rawJSON`, which TypeScript does not know yet. */
const rawJson = JSON as unknown as { rawJSON(text: string): object };

/**
 * Makes JSON.stringify write `bigint`s as numbers, which it rejects by default, so that values, messages and log lines contain them
 * unchanged. Called when the first one is parsed.
 */
function writeLongIntegers(): void {
  if (Object.hasOwn(BigInt.prototype, "toJSON")) return;
  Object.defineProperty(BigInt.prototype, "toJSON", {
    value(this: bigint) {
      return rawJson.rawJSON(String(this));
    },
    configurable: true,
    writable: true,
  });
}

/** Like JSON.parse, for text known to be valid, with exact 64-bit integers. */
export function parseJsonText(text: string): unknown {
  return mayHoldLongInteger(text) ? parseWithLongIntegers(text) : JSON.parse(text);
}
