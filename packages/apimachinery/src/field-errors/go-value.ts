/**
 * Invalid values in messages. Clients and people compare these texts, so they are those of Kubernetes: strings
 * double-quoted with escapes, numbers and booleans plain, lists and maps of strings as typed Go literals, structs as
 * JSON unless the caller supplies a literal.
 */

/** Limit of a value in messages, in characters; the rest is omitted. */
export const maxShown = 4096;

/** The text, cut at {@link maxShown} characters with a note of its length. */
export function shortened(text: string): string {
  return text.length > maxShown ? `${text.slice(0, maxShown).toWellFormed()}… (${text.length} characters)` : text;
}

/** Text that is printed unchanged; created by {@link literal}, {@link goStruct}, {@link goTime}. */
export class GoLiteral {
  #text: string | (() => string);

  /** @param text the text, or a function that builds it on first use */
  constructor(text: string | (() => string)) {
    this.#text = text;
  }

  get text(): string {
    // Many errors may show the same value.
    if (typeof this.#text !== "string") this.#text = this.#text();
    return this.#text;
  }
}

/** Joins texts with a separator, up to the length that messages show. */
function listed<T>(items: readonly T[], textOf: (item: T) => string): string {
  let text = "";
  for (const [i, item] of items.entries()) {
    if (text.length > maxShown) return `${text}, … (${items.length} items)`;
    text += `${i === 0 ? "" : ", "}${textOf(item)}`;
  }
  return text;
}

/** A value that prints as `text`. */
export function literal(text: string | (() => string)): GoLiteral {
  return new GoLiteral(text);
}

/** `core.Toleration{Key:"a", Operator:"Equal"}`: a struct literal of named fields in the given order. */
export function goStruct(type: string, fields: Readonly<Record<string, unknown>>): GoLiteral {
  return new GoLiteral(
    () => `${type}{${listed(Object.entries(fields), ([name, value]) => `${name}:${goSyntax(value)}`)}}`,
  );
}

/** `[]core.PolicyType{"a", "b"}`, or `[]core.PolicyType(nil)` when absent. */
export function goSlice(type: string, items: readonly unknown[] | undefined): GoLiteral {
  return new GoLiteral(items === undefined ? `[]${type}(nil)` : () => `[]${type}{${listed(items, goSyntax)}}`);
}

/** `map[string]string{"a":"b"}` with sorted keys, or `map[string]string(nil)` when absent. */
export function goStringMap(map: Readonly<Record<string, string>> | undefined): GoLiteral {
  if (map === undefined) {
    return new GoLiteral("map[string]string(nil)");
  }
  const entry = (key: string): string => `${goQuote(shortened(key))}:${goQuote(shortened(map[key] ?? ""))}`;
  return new GoLiteral(() => `map[string]string{${listed(Object.keys(map).sort(), entry)}}`);
}

/** An RFC 3339 time in the notation of messages: `2030-01-01 00:00:00 +0000 UTC`. */
export function goTime(rfc3339: string | undefined): GoLiteral | undefined {
  if (rfc3339 === undefined) {
    return undefined;
  }
  const ms = Date.parse(rfc3339);
  return new GoLiteral(
    Number.isNaN(ms) ? rfc3339 : `${new Date(ms).toISOString().slice(0, 19).replace("T", " ")} +0000 UTC`,
  );
}

const shortEscapes: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  '"': '\\"',
  "\\": "\\\\",
};

// Letters, marks, numbers, punctuation, symbols and the plain space are printed; all others are escaped, as by Go's
// strconv.Quote.
const unprintable = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

/** Double-quoted text with `\n`, `\x00`, `\u200b` style escapes; unpaired surrogates print as U+FFFD. */
export function goQuote(text: string): string {
  return `"${text.toWellFormed().replace(unprintable, escapeRune)}"`;
}

function escapeRune(char: string): string {
  const short = shortEscapes[char];
  if (short !== undefined) {
    return short;
  }
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x80) {
    return `\\x${code.toString(16).padStart(2, "0")}`;
  }
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`;
}

/** A value as the message of a field error contains it. */
export function printValue(value: unknown): string {
  // An absent value prints as the text "null", quotes included.
  return value === undefined || value === null ? '"null"' : goSyntax(value);
}

function goSyntax(value: unknown): string {
  if (value instanceof GoLiteral) {
    return value.text;
  }
  switch (typeof value) {
    case "string":
      return value.length > maxShown
        ? `${goQuote(value.slice(0, maxShown))}… (${value.length} characters)`
        : goQuote(value);
    case "number":
    case "boolean":
    case "bigint":
      return String(value);
    case "object":
      break;
    default:
      return "nil";
  }
  if (value === null) {
    return "nil";
  }
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) {
    return goSlice("string", value).text;
  }
  if (!Array.isArray(value) && Object.values(value).every((item) => typeof item === "string")) {
    return goStringMap(value as Record<string, string>).text;
  }
  return shortened(JSON.stringify(value));
}
