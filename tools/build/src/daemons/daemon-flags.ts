import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { FlagTable } from "@orchernetes/component";
import { pinnedNode, root } from "../paths.ts";
import { type DaemonName, programNamed } from "../programs.ts";

/** What manuals and completions tell of a daemon. */
export interface DaemonReference {
  readonly name: DaemonName;
  /** What it does, in a paragraph. */
  readonly description: string;
  readonly flags: FlagTable;
}

/** Reads a daemon's flag table, and its description from its help page. */
export async function daemonReference(name: DaemonName): Promise<DaemonReference> {
  const module: Readonly<Record<string, unknown>> = await import(join(root, `apps/${name}/src/flags/index.ts`));
  const tables = Object.entries(module).filter(([key, value]) => /Flags$/.test(key) && typeof value === "object");
  const [table, more] = tables;
  if (table === undefined || more !== undefined)
    throw new Error(`apps/${name}/src/flags/index.ts exports ${tables.length} flag tables; one is expected`);
  const help = execFileSync(pinnedNode, [join(root, programNamed(name).entry), "--help"], { encoding: "utf8" });
  const [description = ""] = help.split("\n\nUsage:");
  return { name, description: description.replaceAll(/\s+/g, " "), flags: table[1] as FlagTable };
}

/** The flags that help pages show, sorted by name. */
export const shownFlags = ({ flags }: DaemonReference) =>
  Object.entries(flags)
    .filter(([, flag]) => flag.hidden !== true)
    .sort(([a], [b]) => (a < b ? -1 : 1));
