import { canonicalQuantity } from "../quantity/fast.ts";
import type { ScalarKind } from "../schema/index.ts";
import { canonicalDuration } from "../time/duration.ts";
import { canonicalMicroTime, canonicalTime } from "../time/time.ts";
import { DecodeError } from "./decode-error.ts";

/** A value of the wrong JSON type. The decoder determines the place and the message on a second, slower walk. */
export class TypeMismatch extends Error {
  override readonly name = "TypeMismatch";
}

/** Checks one value and converts it to canonical form. @throws TypeMismatch, or another Error with the reason */
export type ScalarDecode = (value: unknown) => unknown;

const mismatch = new TypeMismatch("wrong JSON type");

const integer =
  (low: number, high: number): ScalarDecode =>
  (value) => {
    if (typeof value !== "number" || !Number.isInteger(value) || value < low || value > high) {
      throw mismatch;
    }
    // Minus zero would be written with its sign in some encodings.
    return value === 0 ? 0 : value;
  };

const text =
  (canonical: (value: string) => string): ScalarDecode =>
  (value) => {
    if (typeof value !== "string") {
      throw mismatch;
    }
    return canonical(value);
  };

const int32 = integer(-(2 ** 31), 2 ** 31 - 1);

/**
 * Whether the text has a form such as 2006-01-02T15:04:05Z, with parts that are valid in every month. Nearly all times have the canonical
 * form, and then need no parsing.
 *
 * @param form the text with 0 for each digit
 */
function isPlainTime(value: string, form: string): boolean {
  if (value.length !== form.length) {
    return false;
  }
  for (let i = 0; i < form.length; i++) {
    const code = value.charCodeAt(i);
    const wanted = form.charCodeAt(i);
    if (wanted === 0x30 ? code < 0x30 || code > 0x39 : code !== wanted) {
      return false;
    }
  }
  const two = (at: number) => (value.charCodeAt(at) - 0x30) * 10 + value.charCodeAt(at + 1) - 0x30;
  const month = two(5);
  const day = two(8);
  return month >= 1 && month <= 12 && day >= 1 && day <= 28 && two(11) <= 23 && two(14) <= 59 && two(17) <= 59;
}
const plainTime = "0000-00-00T00:00:00Z";
const plainMicroTime = "0000-00-00T00:00:00.000000Z";

const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

function canonicalBase64(value: string): string {
  const bare = /[\r\n]/.test(value) ? value.replace(/[\r\n]/g, "") : value;
  if (bare.length % 4 !== 0 || !base64.test(bare)) {
    const bad = /[^A-Za-z0-9+/]/.exec(bare)?.index ?? bare.length;
    throw new DecodeError(`illegal base64 data at input byte ${bad}`);
  }
  if (!bare.endsWith("=")) {
    return bare;
  }
  // The last group may have bits that belong to no byte; encoding it again makes them zero.
  return bare.slice(0, -4) + Buffer.from(bare.slice(-4), "base64").toString("base64");
}

/** Walks an object that is kept unchanged for numbers that JSON cannot represent. */
function checkNumbers(value: unknown): void {
  if (typeof value === "number") {
    if (!Number.isFinite(value)) {
      throw new DecodeError("a number lies outside the range of a 64-bit float");
    }
  } else if (typeof value === "object" && value !== null) {
    for (const key in value) {
      checkNumbers((value as Record<string, unknown>)[key]);
    }
  }
}

/** The decoder of each kind of scalar. */
export const scalarDecoders: Readonly<Record<ScalarKind, ScalarDecode>> = {
  string: text((value) => value),
  bool: (value) => {
    if (typeof value !== "boolean") {
      throw mismatch;
    }
    return value;
  },
  int32,
  int64: integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  uint32: integer(0, 2 ** 32 - 1),
  double: (value) => {
    if (typeof value === "bigint") return Number(value);
    if (typeof value !== "number" || !Number.isFinite(value)) {
      throw mismatch;
    }
    return value;
  },
  number: (value) => {
    if (typeof value === "bigint") return value;
    if (typeof value !== "number" || !Number.isFinite(value)) {
      throw mismatch;
    }
    return value;
  },
  bytes: text(canonicalBase64),
  quantity: (value) => {
    if ((typeof value === "number" && Number.isFinite(value)) || typeof value === "bigint") {
      return canonicalQuantity(String(value));
    }
    if (typeof value !== "string") {
      throw mismatch;
    }
    return canonicalQuantity(value.trim());
  },
  time: text((value) => (isPlainTime(value, plainTime) ? value : canonicalTime(value))),
  microTime: text((value) => (isPlainTime(value, plainMicroTime) ? value : canonicalMicroTime(value))),
  duration: text(canonicalDuration),
  intOrString: (value) => (typeof value === "string" ? value : int32(value)),
  raw: (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw mismatch;
    }
    checkNumbers(value);
    return value;
  },
  json: (value) => {
    checkNumbers(value);
    return value;
  },
};

/** The value that replaces an absent one where a value must be written. */
export const scalarZeros: Readonly<Record<ScalarKind, unknown>> = {
  string: "",
  bool: false,
  int32: 0,
  int64: 0,
  uint32: 0,
  double: 0,
  number: 0,
  bytes: null,
  quantity: "0",
  time: null,
  microTime: null,
  duration: "0s",
  intOrString: 0,
  raw: null,
  json: null,
};
