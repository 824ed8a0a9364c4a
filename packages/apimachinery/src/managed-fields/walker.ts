import type { FieldSet } from "./field-set.ts";

/**
 * The removed paths that a comparison found, beside those that it returns. One object per comparison, so that walking
 * allocates little.
 */
export interface Comparison {
  removed: FieldSet | undefined;
}

/** State of pruning at one value. */
export interface Pruning {
  /** Paths that the applier owned before, at this value. */
  readonly last: FieldSet | undefined;
  /** Paths that anyone owns now, at this value. */
  readonly owned: FieldSet | undefined;
  /** Whether the value is inside something that the applier owned before. */
  readonly inLast: boolean;
  /** Whether the value is a part of something that the applier gave up and that has no other owner. */
  readonly abandoned: boolean;
}

/**
 * The operations of ownership on the values of one schema. Values are plain JSON in canonical form, except in {@link
 * typed}. Nodes of sets are returned without regard to whether the parent is in the set.
 */
export interface Walker {
  /** Every path of a value that was added or removed: its own and all below it. */
  readonly whole: (value: unknown) => FieldSet;
  /** Paths that differ or are new, and in `out.removed` the removed ones. Both values exist. */
  readonly compare: (before: unknown, after: unknown, out: Comparison) => FieldSet | undefined;
  /** The paths that an applier of this value owns; undefined if there are none. */
  readonly applied: (value: unknown) => FieldSet | undefined;
  /** The result of applying `patch` to `live`; shares parts with both. */
  readonly merge: (live: unknown, patch: unknown) => unknown;
  /** The value without the fields that were given up; undefined when nothing is left. */
  readonly prune: (value: unknown, pruning: Pruning) => unknown;
  /**
   * Checks an applied value against the schema and converts its scalars to canonical form, so that they can be
   * compared. Absent fields and nulls are kept.
   *
   * @throws TypedError
   */
  readonly typed: (value: unknown, path: string) => unknown;
}

/** A value that cannot be applied: of another type, with unknown fields, or with ambiguous list items. */
export class TypedError extends Error {
  override readonly name = "TypedError";

  constructor(path: string, detail: string) {
    super(`${path === "" ? "." : path}: ${detail}`);
  }
}

/** A JSON object. */
export type Plain = Readonly<Record<string, unknown>>;

/** A JSON object; anything else counts as an empty one. */
export function objectOf(value: unknown): Plain {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Plain) : none;
}

const none: Plain = Object.freeze({});

/** Whether a value is a JSON object: neither null nor a list. */
export function isPlain(value: unknown): value is Plain {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether an applied value is owned as such by its parent: an explicit null or an empty object. */
export function isNullOrEmpty(value: unknown): boolean {
  if (value === null) return true;
  if (!isPlain(value)) return false;
  for (const _ in value) return false;
  return true;
}

/** A value as messages of {@link TypedError} contain it. */
export function describeValue(value: unknown): string {
  const text = JSON.stringify(value) ?? "null";
  return text.length > 128 ? `${text.slice(0, 128)}…` : text;
}
