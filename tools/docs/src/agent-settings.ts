import type { FlagTable } from "@orchernetes/component";
import { orchletFlags } from "../../../apps/orchlet/src/flags/index.ts";
import type { Showing } from "./shown-by-tests.ts";

/** A field of OrchletConfiguration with the flags that set it, or a flag of its own. */
export interface AgentSetting {
  /** Name of the field by its path, or of the flag with `--`: what comments of tests call it. */
  readonly name: string;
  readonly names: readonly string[];
  readonly help: string;
  /** Whether it is listed in docs/status.md as without effect. */
  readonly idle: boolean;
}

/** Every field of the node agent's file, as flags set them, and then every flag without one. */
export function agentSettings(): readonly AgentSetting[] {
  const fields = new Map<string, AgentSetting>();
  const own: AgentSetting[] = [];
  for (const [flag, { field, help, effect }] of Object.entries<FlagTable[string]>(orchletFlags)) {
    const about = { help: help.split("\n")[0] ?? "", idle: effect === "none" };
    if (field === undefined) own.push({ name: `--${flag}`, names: [`--${flag}`], ...about });
    else fields.set(field, { name: field, names: [...(fields.get(field)?.names ?? [field]), `--${flag}`], ...about });
  }
  const sorted = [...fields.values()].sort((a, b) => a.name.localeCompare(b.name, "en"));
  return [...sorted, ...own.sort((a, b) => a.name.localeCompare(b.name, "en"))];
}

/** Comments around the tables, which the page has beside what people write. */
const [begin, end] = ["<!-- begin: settings, made by `node tools/docs/src/main.ts` -->", "<!-- end: settings -->"];

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("<", "&lt;");

/** A test by its file and its title, unless that is nothing but the name of a row. */
function textOf({ file, title }: Showing): string {
  const path = `\`${file.replace("apps/orchlet/src/", "S/")}\``;
  return title === "%s" ? path : `${path}: ${cell(title)}`;
}

function rowOf({ name, names, help, idle }: AgentSetting, tests: ReadonlyMap<string, readonly Showing[]>): string {
  const shown = idle ? ["[no effect](status.md)"] : (tests.get(name) ?? []).map(textOf);
  return `| ${names.map((one) => `\`${one}\``).join(", ")} | ${cell(help)} | ${shown.join("<br>")} |`;
}

function table(rows: readonly AgentSetting[], head: string, tests: ReadonlyMap<string, readonly Showing[]>): string {
  return [`| ${head} | what it does | shown by |`, "| --- | --- | --- |", ...rows.map((row) => rowOf(row, tests))].join(
    "\n",
  );
}

/**
 * The page of the node agent with its tables of all settings as they are now.
 *
 * @throws Error if it has no place for them
 */
export function withAgentSettings(page: string, tests: ReadonlyMap<string, readonly Showing[]>): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/node-agent.md lacks "${begin}" and "${end}"`);
  const settings = agentSettings();
  const fields = settings.filter(({ name }) => !name.startsWith("--"));
  const flags = settings.filter(({ name }) => name.startsWith("--"));
  const tables = `${table(fields, "field and flag", tests)}\n\n${table(flags, "flag without a field", tests)}`;
  return `${page.slice(0, from + begin.length)}\n\n${tables}\n\n${page.slice(to)}`;
}
