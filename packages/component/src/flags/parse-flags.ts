import parser from "yargs-parser";
import type { Flag, FlagTable, FlagValues } from "./flag.ts";
import { globalFlags } from "./global-flags.ts";
import { renderHelp } from "./help.ts";
import { parseTexts } from "./values.ts";

/** The result of parsing a command line. */
export type ParseResult<T extends FlagTable> =
  | {
      readonly type: "run";
      readonly flags: FlagValues<T>;
      /** Names of the flags that were on the command line. */
      readonly explicit: ReadonlySet<string>;
      /** One line for each deprecated flag, and for each flag without effect, that was set. */
      readonly warnings: readonly string[];
    }
  /** Help or version was requested: print the text and exit. */
  | { readonly type: "exit"; readonly code: 0; readonly text: string }
  | {
      readonly type: "errors";
      /** One line for each error, all of them. */
      readonly errors: readonly string[];
      /**
       * The flags that could be parsed; invalid ones have their defaults. For finding further errors, not for running.
       */
      readonly flags: FlagValues<T>;
      /** Names of the flags that were on the command line and are valid. */
      readonly explicit: ReadonlySet<string>;
      /** Names of the flags that were meant to be set, but have no usable value: it is invalid or missing, or the name is misspelt. */
      readonly invalidFlags: ReadonlySet<string>;
    };

/** The program whose flags are parsed. */
export interface Program {
  /** Name of the binary. */
  readonly name: string;
  /** One paragraph for the help page. */
  readonly description: string;
  readonly version: { readonly text: string; readonly raw: string };
}

/**
 * Parses a command line by the conventions of upstream's components: `--flag=value` and `--flag value`, booleans
 * without a value, `_` for `-` in names, `-v 2`, lists by commas and repetition. `--help` and `--version` are added to
 * every table.
 *
 * It never throws for user input: all errors are collected, one line each, with the flag, the value, and what would
 * have been accepted. Values are used exactly as typed; numbers, dots or quotes in them are interpreted only if the
 * type of the flag requires it.
 */
export function parseFlags<T extends FlagTable>(program: Program, table: T, argv: readonly string[]): ParseResult<T> {
  const all: FlagTable = { ...table, ...globalFlags };
  const errors: string[] = [];
  const invalid = new Set<string>();
  const given = collect(all, argv, { errors, invalid });
  if (given.get("help")?.at(-1) !== undefined && given.get("help")?.at(-1) !== "false") {
    return { type: "exit", code: 0, text: renderHelp(program, all) };
  }
  const values: [string, unknown][] = [];
  const warnings: string[] = [];
  for (const [name, flag] of Object.entries(all)) {
    const texts = given.get(name);
    const before = errors.length;
    const value = texts === undefined ? defaultValue(flag) : readValue(name, flag, texts, errors);
    if (errors.length > before) invalid.add(name);
    values.push([name, invalid.has(name) ? defaultValue(flag) : value]);
    if (texts === undefined) continue;
    if (flag.deprecated !== undefined) warnings.push(`flag --${name} is deprecated: ${flag.deprecated}`);
    if (flag.effect === "none") warnings.push(`flag --${name} has no effect yet`);
  }
  const flags = Object.fromEntries(values) as FlagValues<T> & { readonly version: string };
  if (errors.length > 0) {
    const explicit = new Set([...given.keys()].filter((name) => !invalid.has(name)));
    return { type: "errors", errors, flags, explicit, invalidFlags: invalid };
  }
  if (flags.version !== "false") {
    const text = flags.version === "raw" ? program.version.raw : `Orchernetes ${program.version.text}`;
    return { type: "exit", code: 0, text: `${text}\n` };
  }
  return { type: "run", flags, explicit: new Set(given.keys()), warnings };
}

/** The value of a flag that is not set. */
export function defaultValue(flag: Flag): unknown {
  if (flag.default === undefined) return undefined;
  if (flag.type === "duration") {
    const parsed = parseTexts("duration", [flag.default]);
    return "value" in parsed ? parsed.value : undefined;
  }
  return flag.type === "stringToString" ? new Map(Object.entries(flag.default)) : flag.default;
}

/** The errors of a command line: lines, and the names of flags without a usable value. */
interface Findings {
  readonly errors: string[];
  readonly invalid: Set<string>;
}

/** Every value of every flag as text, in order. */
function collect(table: FlagTable, argv: readonly string[], found: Findings): Map<string, readonly string[]> {
  const tokens = normalize(table, argv, found);
  const parsed = parser([...tokens], {
    string: Object.keys(table),
    configuration: {
      "boolean-negation": false,
      "camel-case-expansion": false,
      "dot-notation": false,
      "duplicate-arguments-array": true,
      "flatten-duplicate-arrays": false,
      "parse-numbers": false,
      "parse-positional-numbers": false,
      "short-option-groups": false,
    },
  });
  const given = new Map<string, readonly string[]>();
  for (const name of Object.keys(table)) {
    const value: unknown = Object.hasOwn(parsed, name) ? parsed[name] : undefined;
    if (value === undefined) continue;
    const texts: readonly unknown[] = Array.isArray(value) ? value : [value];
    given.set(
      name,
      texts.map((text) => String(text).slice(1)),
    );
  }
  return given;
}

/**
 * Converts every accepted spelling to the form `--name==value`, which yargs does not interpret: the second equals sign
 * belongs to the value, and prevents yargs from removing quotes around it.
 */
function normalize(table: FlagTable, argv: readonly string[], { errors, invalid }: Findings): readonly string[] {
  const shorts = new Map(
    Object.entries(table).flatMap(([name, { short }]) => (short === undefined ? [] : [[short, name] as const])),
  );
  const tokens: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const token = argv[i] ?? "";
    const long = /^--([^=]+)(?:=(.*))?$/s.exec(token);
    const short = long ? null : /^-([^-=])=?(.*)$/s.exec(token);
    if (!long && !short) {
      errors.push(`unknown argument "${token}": only flags such as --flag=value are accepted`);
      continue;
    }
    const typed = long?.[1] ?? short?.[1] ?? "";
    const name = long ? typed.replaceAll("_", "-") : (shorts.get(typed) ?? "");
    const flag = Object.hasOwn(table, name) ? table[name] : undefined;
    if (flag === undefined) {
      const near = nearest(table, typed);
      const hint = near === undefined ? "; see --help for the flags there are" : `; did you mean --${near}?`;
      errors.push(`unknown flag ${long ? `--${typed}` : `"-${typed}" in ${token}`}${hint}`);
      if (near !== undefined) invalid.add(near);
      // The next word is most likely the value of the unknown flag, not a separate error.
      if (!token.includes("=") && i + 1 < argv.length && !argv[i + 1]?.startsWith("-")) i++;
      continue;
    }
    const inline = long ? long[2] : token.length > 2 ? short?.[2] : undefined;
    const bare = flag.type === "bool" ? "true" : flag.bare;
    if (inline !== undefined) tokens.push(`--${name}==${inline}`);
    else if (bare !== undefined) tokens.push(`--${name}==${bare}`);
    else if (i + 1 < argv.length) tokens.push(`--${name}==${argv[++i]}`);
    else {
      errors.push(`flag --${name} needs a value: want --${name}=VALUE`);
      invalid.add(name);
    }
  }
  return tokens;
}

function readValue(name: string, flag: Flag, texts: readonly string[], errors: string[]): unknown {
  const refuse = (want: string) => {
    errors.push(
      `invalid value ${texts.map((text) => JSON.stringify(text)).join(", ")} for flag --${name}: want ${want}`,
    );
    return undefined;
  };
  const parsed = parseTexts(flag.type, texts);
  if ("want" in parsed) return refuse(parsed.want);
  const { value } = parsed;
  if (flag.oneOf !== undefined) {
    const allowed = flag.oneOf;
    const items = Array.isArray(value) ? value : [value];
    if (!items.every((item) => allowed.includes(String(item)))) {
      return refuse(
        `${Array.isArray(value) ? "a list of " : "one of "}${allowed.map((item) => item || '""').join(", ")}`,
      );
    }
  }
  if (typeof value === "number") {
    const { min, max } = flag;
    const unit = flag.type === "duration" ? " milliseconds" : "";
    if ((min !== undefined && value < min) || (max !== undefined && value > max)) {
      if (min !== undefined && max !== undefined) return refuse(`${min} to ${max}${unit}`);
      return refuse(min === undefined ? `at most ${max}${unit}` : `at least ${min}${unit}`);
    }
  }
  const check = flag.validate as ((value: unknown) => string | undefined) | undefined;
  const want = check?.(value);
  if (want === undefined) return value;
  if (flag.refusal === undefined) return refuse(want);
  errors.push(flag.refusal);
  return undefined;
}

/** The known flag with the smallest edit distance to an unknown one, for "did you mean". */
function nearest(table: FlagTable, typed: string): string | undefined {
  const name = typed.replaceAll("_", "-").toLowerCase();
  if (name.length < 3) return undefined;
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const candidate of Object.keys(table)) {
    if (Math.abs(candidate.length - name.length) > 3) continue;
    const distance = editDistance(name, candidate);
    if (distance <= 3 && (best === undefined || distance < best.distance)) best = { name: candidate, distance };
  }
  return best?.name;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
