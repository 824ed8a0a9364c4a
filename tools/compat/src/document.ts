import type { Group } from "./counts.ts";
import { LEVEL_DIFFERENCES } from "./level-differences.ts";
import { replaceSection } from "./section.ts";

const section = {
  heading: "Recorded conversations",
  begin: "<!-- recordings: written by tools/compat -->",
  end: "<!-- end of recordings -->",
};

const row = (cells: readonly (string | number)[]): string => `| ${cells.join(" | ")} |`;

/** A table of the differences that occurred, with reasons. */
function renderDifferences(scenarios: ReadonlySet<string>): readonly string[] {
  const met = LEVEL_DIFFERENCES.filter(({ scenario }) => scenarios.has(scenario));
  if (met.length === 0) return [];
  return [
    "Different from the recording, and right at level 1.27:",
    "",
    row(["scenario", "difference", "reason"]),
    row(["---", "---", "---"]),
    ...met.map(({ scenario, difference, reason }) => row([scenario, difference, reason])),
    "",
  ];
}

/**
 * The counts as a Markdown table.
 * @param date - date of the run, printed as it is
 */
export function renderCounts(groups: readonly Group[], date: string): string {
  const stores = [...(groups[0]?.byStore.keys() ?? [])];
  const lines = groups.map((group) => {
    const cells = stores.map((store) => {
      const count = group.byStore.get(store);
      return [
        count?.passed ?? 0,
        count?.rightAtLevel.length ?? 0,
        count?.failed.length ?? 0,
        count?.skipped ?? group.scenarios,
      ].join(" / ");
    });
    return row([group.name, group.scenarios, ...cells]);
  });
  const failing = stores.flatMap((store) => {
    const names = groups.flatMap((group) => group.byStore.get(store)?.failed ?? []);
    return names.length === 0 ? [] : [`Failing on ${store}: ${names.join(", ")}.`, ""];
  });
  const differing = groups.flatMap((group) => [...group.byStore.values()].flatMap((count) => count.rightAtLevel));
  return [
    `Of ${date}; passed / right at 1.27 / failed / skipped (what they need was not there).`,
    "",
    row(["group", "scenarios", ...stores]),
    row(["---", "---", ...stores.map(() => "---")]),
    ...lines,
    "",
    ...failing,
    ...renderDifferences(new Set(differing)),
  ].join("\n");
}

/** The document with new counts. Text outside the marked section stays, and a document is started if there is none. */
export function replaceCounts(document: string | undefined, counts: string): string {
  return replaceSection(document ?? "# Compatibility\n", section, counts);
}
