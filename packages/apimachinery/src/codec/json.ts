import { DecodeError } from "./decode-error.ts";
import { scanJson } from "./json-scan.ts";

/** Levels that documents may nest: deeper ones are refused before anything walks them. */
export const defaultMaxDepth = 1000;

export interface ParseJsonOptions {
  /** @default 1000 */
  readonly maxDepth?: number;
  /**
   * Look for keys that occur twice; the last one wins in the value either way. Costs a second pass over the text.
   *
   * @default false
   */
  readonly duplicates?: boolean;
}

/** A parsed document. */
export interface ParsedDocument {
  readonly value: unknown;
  /** Paths such as `spec.foo` of keys that occur more than once; empty unless asked for. */
  readonly duplicateFields: readonly string[];
}

const none: readonly string[] = Object.freeze([]);

/**
 * Parses JSON. Keys such as `__proto__` are ordinary data; unpaired surrogates become U+FFFD.
 *
 * @throws DecodeError with the offending character
 */
export function parseJson(input: string | Uint8Array, options: ParseJsonOptions = {}): ParsedDocument {
  const text = typeof input === "string" ? input : decodeUtf8(input);
  const maxDepth = options.maxDepth ?? defaultMaxDepth;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    // The scan says what is wrong in words that do not depend on the engine.
    scanJson(text, maxDepth);
    throw new DecodeError("invalid JSON", "", { cause });
  }
  let duplicateFields = none;
  if (options.duplicates === true) {
    duplicateFields = scanJson(text, maxDepth).duplicateFields;
  } else if (text.length > maxDepth) {
    checkDepth(text, maxDepth);
  }
  return { value: text.includes("\\u") ? wellFormed(value) : value, duplicateFields };
}

function decodeUtf8(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

/** For text known to be valid JSON: only brackets outside strings count. */
function checkDepth(text: string, maxDepth: number): void {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (inString) {
      if (code === 0x5c) {
        i++;
      } else if (code === 0x22) {
        inString = false;
      }
    } else if (code === 0x22) {
      inString = true;
    } else if (code === 0x7b || code === 0x5b) {
      if (++depth > maxDepth) {
        throw new DecodeError(`exceeded max depth: the document nests deeper than ${maxDepth} levels`);
      }
    } else if (code === 0x7d || code === 0x5d) {
      depth--;
    }
  }
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

/** Sets an own property whatever its name: `__proto__` is data, too. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[key] = value;
  }
}

/** Reads an own property; inherited ones such as `constructor` do not exist. */
export function getOwn(source: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(source, key) ? source[key] : undefined;
}
