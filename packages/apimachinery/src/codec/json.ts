import { DecodeError } from "./decode-error.ts";
import { endOfString, mayHoldLongInteger, parseWithLongIntegers } from "./exact-integers.ts";
import { scanJson } from "./json-scan.ts";
import { setOwn } from "./own-members.ts";

export { getOwn, setOwn } from "./own-members.ts";

/** Limit of levels that documents may nest. Deeper ones are rejected before any recursive function walks them. */
export const defaultMaxDepth = 1000;

/**
 * Limit of objects and lists in a document: three million characters of `{},` take seconds to decode, and no real
 * object has so many.
 */
export const maxContainers = 150_000;

/** Limit of members in a document: with field ownership for each, more would exceed what stores accept. */
export const maxMembers = 60_000;

/** Limit of items in the lists of a document, members included: a million empty texts fit into 3 MB. */
export const maxItems = 150_000;

/** Options of {@link parseJson}. */
export interface ParseJsonOptions {
  /** @default 1000 */
  readonly maxDepth?: number;
  /**
   * Whether to look for keys that occur twice; the last one has precedence in the value either way. It costs a second
   * pass over the text.
   *
   * @default false
   */
  readonly duplicates?: boolean;
}

/** A parsed document. */
export interface ParsedDocument {
  readonly value: unknown;
  /** Paths such as `spec.foo` of keys that occur more than once; empty unless `duplicates` is set. */
  readonly duplicateFields: readonly string[];
}

const none: readonly string[] = Object.freeze([]);

/**
 * Parses JSON. Keys such as `__proto__` are ordinary data; unpaired surrogates become U+FFFD. Integers of 64 bits are exact: beyond
 * ±2⁵³ they are `bigint`s.
 *
 * @throws DecodeError with the offending character
 */
export function parseJson(input: string | Uint8Array, options: ParseJsonOptions = {}): ParsedDocument {
  const text = typeof input === "string" ? input : decodeUtf8(input);
  const maxDepth = options.maxDepth ?? defaultMaxDepth;
  // Checked before JSON.parse, which takes longer for such documents than everything after it.
  if (text.length > maxMembers) checkNumbers(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    // The scan reports the error in a text that does not depend on the engine.
    scanJson(text, maxDepth);
    throw new DecodeError("invalid JSON", "", { cause });
  }
  let duplicateFields = none;
  if (options.duplicates === true || text.length > maxDepth) {
    const pairs = countPairs(text, maxDepth);
    // A pair of the text without a property in the value was overwritten by a later one.
    if (options.duplicates === true && pairs !== countProperties(value)) {
      duplicateFields = scanJson(text, maxDepth).duplicateFields;
    }
  }
  if (mayHoldLongInteger(text)) value = parseWithLongIntegers(text);
  return { value: text.includes("\\u") ? wellFormed(value) : value, duplicateFields };
}

function decodeUtf8(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

/**
 * Checks the limits before parsing. Stops at invalid JSON, which the parser reports.
 *
 * @throws DecodeError when the text has more than {@link maxContainers}, {@link maxMembers} or {@link maxItems}
 */
function checkNumbers(text: string): void {
  let pairs = 0;
  let containers = 0;
  let commas = 0;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case 0x22:
        i = endOfString(text, i);
        if (i < 0) return;
        break;
      case 0x2c:
        if (++commas > maxItems) throw new DecodeError(`the document has more than ${maxItems} items`);
        break;
      case 0x3a:
        if (++pairs > maxMembers) throw new DecodeError(`the document has more than ${maxMembers} members`);
        break;
      case 0x7b:
      case 0x5b:
        if (++containers > maxContainers) {
          throw new DecodeError(`the document has more than ${maxContainers} objects and lists`);
        }
        break;
    }
  }
}

/**
 * The number of key-value pairs in text that is known to be valid JSON: colons outside strings.
 *
 * @throws DecodeError when the text nests deeper than `maxDepth`
 */
function countPairs(text: string, maxDepth: number): number {
  let depth = 0;
  let pairs = 0;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case 0x22:
        i = endOfString(text, i);
        break;
      case 0x3a:
        pairs++;
        break;
      case 0x7b:
      case 0x5b:
        if (++depth > maxDepth) {
          throw new DecodeError(`exceeded max depth: the document nests deeper than ${maxDepth} levels`);
        }
        break;
      case 0x7d:
      case 0x5d:
        depth--;
        break;
    }
  }
  return pairs;
}

function countProperties(value: unknown): number {
  if (typeof value !== "object" || value === null) {
    return 0;
  }
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) {
      count += countProperties(item);
    }
    return count;
  }
  for (const key in value) {
    count += 1 + countProperties((value as Record<string, unknown>)[key]);
  }
  return count;
}

/** Replaces unpaired surrogates in all strings and keys. Depth has been checked by the caller. */
function wellFormed(value: unknown): unknown {
  if (typeof value === "string") {
    return value.toWellFormed();
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  if (Array.isArray(value)) {
    return value.map(wellFormed);
  }
  const out: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    setOwn(out, key.toWellFormed(), wellFormed((value as Record<string, unknown>)[key]));
  }
  return out;
}
