import type { FieldSet } from "./field-set.ts";

/** What a comparison found to be gone, beside what it returns. One per comparison, so that walking makes no garbage. */
export interface Comparison {
  removed: FieldSet | undefined;
}

/** Whose fields are pruned from an applied object. */
export interface Pruning {
  /** What the applier owned before, at this value. */
  readonly last: FieldSet | undefined;
  /** What anyone owns now, at this value. */
  readonly owned: FieldSet | undefined;
  /** The value lies in something the applier owned before. */
  readonly inLast: boolean;
  /** The value is part of something that the applier gave up and that has no other owner. */
  readonly abandoned: boolean;
}

/**
 * How ownership sees the values of one schema. Values are plain JSON in canonical form, but for {@link typed}. Nodes of sets
 * are returned without regard to whether the parent is in the set.
 */
export interface Walker {
  /** Every path of a value that was added or removed: its own and all below. */
  readonly whole: (value: unknown) => FieldSet;
  /** Paths that differ or are new, and in `out.removed` those that are gone. Both values exist. */
  readonly compare: (before: unknown, after: unknown, out: Comparison) => FieldSet | undefined;
  /** The paths that someone who applies this value owns; undefined: none. */
  readonly applied: (value: unknown) => FieldSet | undefined;
  /** The value that applying `patch` over `live` makes; shares parts with both. */
  readonly merge: (live: unknown, patch: unknown) => unknown;
  /** The value without what was given up; undefined when nothing is left. */
  readonly prune: (value: unknown, pruning: Pruning) => unknown;
  /**
   * Checks an applied value against the schema and brings its scalars into canonical form, so that they compare; absent fields
   * stay absent and nulls stay.
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

/** A value as messages of {@link TypedError} show it. */
export function describeValue(value: unknown): string {
  const text = JSON.stringify(value) ?? "null";
  return text.length > 128 ? `${text.slice(0, 128)}…` : text;
}
