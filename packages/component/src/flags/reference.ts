import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Flag, FlagTable } from "./flag.ts";
import { parseFlags } from "./parse-flags.ts";

/** The tables that flags are compared with. */
const folder = join(import.meta.dirname, "../../../testkit/facts");
const facts = join(folder, "component-config.json");
const requirements = join(folder, "flags.json");

interface Row {
  readonly flag: string;
  readonly default: unknown;
}

/**
 * The differences between a flag table and the reference in names and defaults, one line each; for tests.
 * @param except flags in which the daemon differs on purpose
 */
export function referenceDifferences(
  daemon: string,
  table: FlagTable,
  except: readonly string[] = [],
): readonly string[] {
  const skip = new Set(["help", "version", ...except]);
  const rows: readonly Row[] = JSON.parse(readFileSync(facts, "utf8")).flags[daemon] ?? [];
  const named: Readonly<Record<string, { readonly default: string | null }>> =
    JSON.parse(readFileSync(requirements, "utf8"))[daemon] ?? {};
  const differences = rows.flatMap((row) => compare(row.flag, table, skip, normal(row.default)));
  for (const [flag, { default: want }] of Object.entries(named)) {
    differences.push(...compare(flag, table, skip, want === null ? undefined : normal(want)));
  }
  return [...new Set(differences)];
}

/**
 * What is wrong with a program's table of flags in itself, one line each; for tests: its defaults do not parse or lead to
 * warnings, its help lacks a flag that is not hidden, or a default is no value that the flag accepts.
 */
export function flagProblems(name: string, table: FlagTable): readonly string[] {
  const program = { name, description: "x", version: { text: "v", raw: "v" } };
  const problems: string[] = [];
  const parsed = parseFlags(program, table, []);
  if (parsed.type === "errors") problems.push(...parsed.errors);
  if (parsed.type === "run") problems.push(...parsed.warnings);
  const help = parseFlags(program, table, ["--help"]);
  const text = help.type === "exit" ? help.text : "";
  const shown = new Set([...text.matchAll(/--([a-z0-9-]+)[ [\n]/g)].map(([, flag]) => flag));
  for (const [flag, { hidden, default: value }] of Object.entries(table)) {
    if (hidden !== true && !shown.has(flag)) problems.push(`--${flag} is not in the help`);
    if (value === undefined || typeof value === "object" || value === "") continue;
    const own = parseFlags(program, table, [`--${flag}=${value}`]);
    if (own.type === "errors") problems.push(...own.errors);
  }
  return problems;
}

function compare(
  flag: string,
  table: FlagTable,
  skip: ReadonlySet<string>,
  want: string | undefined,
): readonly string[] {
  if (!flag.startsWith("--")) return [];
  const name = flag.slice(2);
  if (skip.has(name)) return [];
  const row = Object.hasOwn(table, name) ? table[name] : undefined;
  if (row === undefined) return [`${flag} is missing`];
  const got = defaultText(row);
  return want === undefined || got === want ? [] : [`${flag} has default "${got}", reference "${want}"`];
}

const normal = (value: unknown): string => {
  const text = Array.isArray(value) ? value.join(",") : String(value ?? "");
  return text === "[]" || text === "empty" || text === "unset" ? "" : text.replace(/^\[(.*)\]$/, "$1");
};

function defaultText(flag: Flag): string {
  if (flag.type === "duration") return flag.default ?? "0s";
  if (flag.type === "bool") return String(flag.default ?? false);
  if (flag.type === "int" || flag.type === "float") return String(flag.default ?? 0);
  if (flag.default instanceof Map || flag.type === "stringToString") return "";
  return normal(flag.default);
}
