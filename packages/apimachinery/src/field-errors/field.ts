import { countError } from "./error-limit.ts";
import type { FieldError } from "./field-error.ts";
import { goQuote, maxShown, printValue, shortened } from "./go-value.ts";

/**
 * The path of a field in an object: `spec.containers[0].image`. Immutable; each step returns a new path. Its text is
 * built when an error is printed: validation creates dozens of paths for each object and prints almost none.
 */
export class FieldPath {
  readonly #parent: FieldPath | undefined;
  readonly #before: string;
  readonly #step: string | number;
  readonly #after: string;

  /** @param text the whole path; or, with a `parent`, a step below it, between `before` and `after` */
  constructor(text: string | number, parent?: FieldPath, before = "", after = "") {
    this.#parent = parent;
    this.#before = before;
    this.#step = text;
    this.#after = after;
  }

  /** `path.name` for each name. */
  child(name: string, ...more: readonly string[]): FieldPath {
    const path = new FieldPath(name, this, ".");
    return more.length === 0 ? path : new FieldPath(more.join("."), path, ".");
  }

  /** `path[2]`. */
  index(position: number): FieldPath {
    return new FieldPath(position, this, "[", "]");
  }

  /** `path[a.b]`: a key of a map. */
  key(name: string): FieldPath {
    return new FieldPath(name, this, "[", "]");
  }

  toString(): string {
    const parent = this.#parent?.toString() ?? "";
    const before = parent === "" && this.#before === "." ? "" : this.#before;
    return `${parent}${before}${this.#step}${this.#after}`;
  }
}

/** A path as the builders accept it. */
export type Path = FieldPath | string;

/**
 * Creates an error. Its message is built lazily: validation of hostile objects creates thousands of errors, of which
 * a hundred are printed.
 *
 * @param before text before the value
 * @param shown returns the value as text
 */
function make(
  type: FieldError["type"],
  path: Path,
  before: string,
  shown: (() => string) | undefined,
  detail: string | (() => string),
): FieldError {
  const error: FieldError = {
    type,
    get field() {
      return shortened(String(path));
    },
    get message() {
      const start = shown === undefined ? before : `${before}: ${shown()}`;
      const end = shortened(typeof detail === "string" ? detail : detail());
      return end === "" ? start : `${start}: ${end}`;
    },
  };
  countError(error);
  return error;
}

/** A value must be given. */
function required(path: Path, detail = ""): FieldError {
  return make("FieldValueRequired", path, "Required value", undefined, detail);
}

/** The value breaks a rule; `detail` says which. See {@link printValue} for how values print. */
function invalid(path: Path, value: unknown, detail: string): FieldError {
  return make("FieldValueInvalid", path, "Invalid value", () => printValue(value), detail);
}

/** The value is not one of the supported ones. Supported values are listed in the given order. */
function notSupported(path: Path, value: unknown, supported: readonly string[] = []): FieldError {
  const detail = (): string => (supported.length === 0 ? "" : `supported values: ${quotedList(supported)}`);
  return make("FieldValueNotSupported", path, "Unsupported value", () => printValue(value), detail);
}

/** The value occurs more than once where it must be unique. */
function duplicate(path: Path, value: unknown): FieldError {
  return make("FieldValueDuplicate", path, "Duplicate value", () => printValue(value), "");
}

/** The field may not be set here. */
function forbidden(path: Path, detail: string): FieldError {
  return make("FieldValueForbidden", path, "Forbidden", undefined, detail);
}

/** The text has more than `maxBytes` bytes; the value itself is not repeated. */
function tooLong(path: Path, _value: unknown, maxBytes: number): FieldError {
  const detail = maxBytes >= 0 ? `must have at most ${maxBytes} bytes` : "value is too long";
  return make("FieldValueTooLong", path, "Too long", undefined, detail);
}

/** The text has more than `max` characters; the value itself is not repeated. */
function tooLongMaxLength(path: Path, max: number): FieldError {
  return make("FieldValueTooLong", path, "Too long", undefined, `may not be longer than ${max}`);
}

/** The list has `actual` items, more than `max`. */
function tooMany(path: Path, actual: number, max: number): FieldError {
  const detail = max >= 0 ? `must have at most ${max} items` : "has too many items";
  return make("FieldValueTooMany", path, `Too many: ${actual}`, undefined, detail);
}

/** The value names something that does not exist. */
function notFoundValue(path: Path, value: unknown): FieldError {
  return make("FieldValueNotFound", path, "Not found", () => printValue(value), "");
}

/** The value has the wrong JSON type. */
function typeInvalid(path: Path, value: unknown, detail: string): FieldError {
  return make("FieldValueTypeInvalid", path, "Invalid value", () => printValue(value), detail);
}

/** Validation itself failed. */
function internal(path: Path, detail: string): FieldError {
  return make("InternalError", path, "Internal error", undefined, detail);
}

/** Quoted texts, as many as fit into a message. */
function quotedList(texts: readonly string[]): string {
  let list = "";
  for (const [i, text] of texts.entries()) {
    list += `${i === 0 ? "" : ", "}${goQuote(shortened(text))}`;
    if (list.length > maxShown) return list;
  }
  return list;
}

function start(...names: readonly string[]): FieldPath {
  return new FieldPath(names.join("."));
}

/**
 * Starts a path; its properties are the builders of field errors.
 *
 * @example
 * ```ts
 * const path = field("spec").child("containers").index(0).child("image"); // "spec.containers[0].image"
 * field.required(path, "must specify an image");
 * field.invalid(path, " ", "must not have leading or trailing whitespace");
 * ```
 */
export const field = Object.freeze(
  Object.assign(start, {
    required,
    invalid,
    notSupported,
    duplicate,
    forbidden,
    tooLong,
    tooLongMaxLength,
    tooMany,
    notFound: notFoundValue,
    typeInvalid,
    internal,
  }),
);

/** One message for many errors: a single one unchanged, several as `[a, b]`; equal texts appear once. */
export function aggregate(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map(({ field: at, message }) => (at === "" ? message : `${at}: ${message}`)))];
  return texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`;
}
