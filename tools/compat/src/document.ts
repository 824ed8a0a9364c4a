import type { Group } from "./counts.ts";
import { replaceSection } from "./section.ts";

const section = {
  heading: "Recorded conversations",
  begin: "<!-- recordings: written by tools/compat -->",
  end: "<!-- end of recordings -->",
};

/** The counts as text. */
export function renderCounts(groups: readonly Group[], date: string): string {
  const stores = [...(groups[0]?.byStore.keys() ?? [])];
  const row = (cells: readonly (string | number)[]): string => `| ${cells.join(" | ")} |`;
  const lines = groups.map((group) => {
    const counts = stores.map((store) => group.byStore.get(store));
    return row([
      group.name,
      group.scenarios,
      ...counts.map((count) => `${count?.passed ?? 0} / ${count?.failed.length ?? 0} / ${count?.skipped ?? 0}`),
    ]);
  });
  const failing = stores.flatMap((store) => {
    const names = groups.flatMap((group) => group.byStore.get(store)?.failed ?? []);
    return names.length === 0 ? [] : [`Failing on ${store}: ${names.join(", ")}.`, ""];
  });
  return [
    `Of ${date}; passed / failed / skipped (what they need was not there).`,
    "",
    row(["group", "scenarios", ...stores]),
    row(["---", "---", ...stores.map(() => "---")]),
    ...lines,
    "",
    ...failing,
  ].join("\n");
}

/** The document with the counts in place of the old ones; what people wrote around them stays. */
export function replaceCounts(document: string | undefined, counts: string): string {
  return replaceSection(document ?? "# Compatibility\n", section, counts);
}
