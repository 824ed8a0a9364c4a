import { isIP } from "node:net";
import { parseDuration } from "@orchernetes/config/duration";

/** The types of values that flags have. */
export interface ValueByType {
  readonly string: string;
  /** A whole number. */
  readonly int: number;
  readonly float: number;
  readonly bool: boolean;
  /** Milliseconds. */
  readonly duration: number;
  /** A comma-separated list; repetition adds to it, and the first use replaces the default. */
  readonly strings: readonly string[];
  /** A list whose elements may contain commas: one element each time the flag is given. */
  readonly repeated: readonly string[];
  /** `key=value` pairs, comma-separated or repeated. */
  readonly stringToString: ReadonlyMap<string, string>;
  /** `key=true|false` pairs, comma-separated or repeated. */
  readonly stringToBool: ReadonlyMap<string, boolean>;
  /** An IPv4 or IPv6 address. */
  readonly ip: string;
}

/** The type of a flag's value. */
export type FlagValue<T extends keyof ValueByType> = ValueByType[T];

/** A value, or what would have been accepted. */
export type Parsed<T> = { readonly value: T } | { readonly want: string };

const booleans = new Map([
  ...["1", "t", "T", "true", "TRUE", "True"].map((text) => [text, true] as const),
  ...["0", "f", "F", "false", "FALSE", "False"].map((text) => [text, false] as const),
]);

/**
 * Parses all texts of one flag, in order. Single-valued flags use the last text, but every text must be well formed.
 */
export function parseTexts<T extends keyof ValueByType>(type: T, texts: readonly string[]): Parsed<ValueByType[T]> {
  const parser: (texts: readonly string[]) => Parsed<ValueByType[T]> = parsers[type];
  return parser(texts);
}

const last =
  <T>(parse: (text: string) => Parsed<T>) =>
  (texts: readonly string[]): Parsed<T> => {
    let result: Parsed<T> = { want: "a value" };
    for (const text of texts) {
      result = parse(text);
      if ("want" in result) return result;
    }
    return result;
  };

const parsers: { readonly [T in keyof ValueByType]: (texts: readonly string[]) => Parsed<ValueByType[T]> } = {
  string: last<string>((text) => ({ value: text })),
  int: last<number>((text) => {
    const value = /^[+-]?(\d+|0[xX][0-9a-fA-F]+)$/.test(text) ? Number(text) : Number.NaN;
    return Number.isSafeInteger(value) ? { value } : { want: "a whole number" };
  }),
  float: last<number>((text) => {
    const value = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text) ? Number(text) : Number.NaN;
    return Number.isFinite(value) ? { value } : { want: "a number such as 0.5" };
  }),
  bool: last<boolean>((text) => {
    const value = booleans.get(text);
    return value === undefined ? { want: "true or false" } : { value };
  }),
  duration: last<number>((text) => {
    const value = parseDuration(text);
    return value === undefined ? { want: "a duration such as 1m30s, 500ms or 1h" } : { value };
  }),
  ip: last<string>((text) => {
    const trimmed = text.trim();
    return trimmed === "" || isIP(trimmed) !== 0
      ? { value: trimmed }
      : { want: "an IP address such as 10.0.0.1 or fd00::1" };
  }),
  strings: (texts) => {
    const lists = texts.map(splitList);
    return lists.includes(undefined)
      ? { want: "a comma-separated list; an element with a comma or quote goes in double quotes" }
      : { value: lists.flatMap((list) => list ?? []) };
  },
  repeated: (texts) => ({ value: texts }),
  stringToString: (texts) => parsePairs(texts, (text) => text),
  stringToBool: (texts) => parseSwitches(texts.flatMap((text) => text.split(","))),
};

/** Parses `name=true|false` pairs; the error names the invalid pair, with upstream's text. */
function parseSwitches(pairs: readonly string[]): Parsed<ReadonlyMap<string, boolean>> {
  const value = new Map<string, boolean>();
  for (const pair of pairs) {
    if (pair === "") continue;
    const at = pair.indexOf("=");
    const name = (at < 0 ? pair : pair.slice(0, at)).trim();
    if (at <= 0) return { want: `key=true|false pairs separated by commas (missing bool value for ${name})` };
    const text = pair.slice(at + 1).trim();
    const on = booleans.get(text);
    if (on === undefined) {
      const parsing = `strconv.ParseBool: parsing ${JSON.stringify(text)}: invalid syntax`;
      return {
        want: `key=true|false pairs separated by commas (invalid value of ${name}=${text}, err: ${parsing})`,
      };
    }
    value.set(name, on);
  }
  return { value };
}

function parsePairs<V>(
  texts: readonly string[],
  read: (text: string) => V | undefined,
): Parsed<ReadonlyMap<string, V>> {
  const value = new Map<string, V>();
  for (const text of texts) {
    if (text === "") continue;
    // With one equals sign the commas belong to the value, as in --allow-metric-labels=metric,label=a,b.
    const single = text.split("=").length === 2;
    const pairs = single ? [text.replace(/^"|"$/g, "")] : splitList(text);
    for (const pair of pairs ?? [""]) {
      const at = pair.indexOf("=");
      const parsed = at > 0 ? read(pair.slice(at + 1)) : undefined;
      if (parsed === undefined) return { want: "key=value pairs separated by commas" };
      value.set(pair.slice(0, at).trim(), parsed);
    }
  }
  return { value };
}

/** Splits comma-separated values with optional double quotes; undefined if a quote is misplaced. */
export function splitList(text: string): readonly string[] | undefined {
  if (text === "") return [];
  const items: string[] = [];
  const item = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/y;
  for (;;) {
    const match = item.exec(text);
    if (match === null) return undefined;
    items.push(match[1] === undefined ? (match[2] ?? "") : match[1].replaceAll('""', '"'));
    if (match[3] === "") return items;
  }
}
