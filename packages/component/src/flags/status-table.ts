import type { FlagTable } from "./flag.ts";

/**
 * The Markdown list of flags that are accepted but have no effect yet, for each program.
 * @param tables flag tables by program name, in the order to show them
 */
export function statusTable(tables: Readonly<Record<string, FlagTable>>): string {
  const sections = Object.entries(tables).map(([program, table]) => {
    const idle = Object.entries(table)
      .filter(([, flag]) => flag.effect === "none" && flag.hidden !== true)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    const total = Object.values(table).filter((flag) => flag.hidden !== true).length;
    const always = Object.entries(table).filter(([, flag]) => flag.effect === "always");
    const names = always.map(([name]) => `\`--${name}\``).join(", ");
    const note = always.length === 0 ? "" : ` ${names} is always in effect, with or without the flag.`;
    const head = `## ${program}\n\n${total - idle.length} of ${total} flags have an effect.${note}`;
    if (idle.length === 0) return `${head}\n`;
    const rows = idle.map(([name, flag]) => `| \`--${name}\` | ${flag.group} | ${flag.help.replaceAll("|", "\\|")} |`);
    return `${head} Accepted and checked, but without effect yet:\n\n| Flag | Section | Meaning |\n|---|---|---|\n${rows.join("\n")}\n`;
  });
  return sections.join("\n");
}
