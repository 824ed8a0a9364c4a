import type { Result } from "../row.ts";
import { formatGoal, formatValue, verdict } from "./format.ts";

const HEADER = ["work", "upstream", "goal", "measured", "", "remarks"] as const;

/** The cells of one result. */
export function cells({ measure, value, note }: Result): readonly string[] {
  const measured = value === undefined ? "—" : formatValue(value, measure.unit);
  const standing = value === undefined ? "" : verdict(measure, value);
  return [
    measure.work,
    measure.upstream?.text ?? "—",
    formatGoal(measure),
    measured,
    standing,
    note.split("\n")[0] ?? "",
  ];
}

/** A table for a terminal. */
export function textTable(results: readonly Result[]): string {
  const lines = [HEADER, ...results.map(cells)];
  const widths = HEADER.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? "").length)));
  return lines
    .map((line) =>
      line
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** A table for a document. */
export function markdownTable(header: readonly string[], lines: readonly (readonly string[])[]): string {
  const row = (line: readonly string[]): string => `| ${line.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [row(header), `|${header.map(() => "---|").join("")}`, ...lines.map(row)].join("\n");
}
