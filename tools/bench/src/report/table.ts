import { REFERENCE_LIMIT, scaledValue } from "../limit.ts";
import type { Measure, Result, Row } from "../row.ts";
import { formatGoal, formatValue, meetsGoal, verdict } from "./format.ts";

/** The headings of {@link cells}. The fifth one says that its figures are not measurements. */
export const HEADER = [
  "work",
  "upstream",
  "goal",
  "measured",
  `scaled to ${REFERENCE_LIMIT.toLocaleString("en")} req/s (not measured)`,
  "standing",
  "remarks",
] as const;

/** The cells of one result. The standing is that of the measured figure. */
export function cells({ measure, value, note, limit }: Result): readonly string[] {
  const shown = (figure: number | undefined): string =>
    figure === undefined ? "—" : formatValue(figure, measure.unit);
  const scaled = value === undefined ? undefined : scaledValue(measure, value, limit);
  const remarks = [note.split("\n")[0] ?? "", otherStanding(measure, value, scaled)];
  return [
    measure.work,
    measure.upstream?.text ?? "—",
    formatGoal(measure),
    shown(value),
    shown(scaled),
    value === undefined ? "" : verdict(measure, value),
    remarks.filter((text) => text !== "").join("; "),
  ];
}

/** The remark for a result of which only the measured or only the scaled figure meets the goal. */
function otherStanding(measure: Measure, value: number | undefined, scaled: number | undefined): string {
  if (value === undefined || scaled === undefined) return "";
  const met = meetsGoal(measure, scaled);
  if (met === meetsGoal(measure, value)) return "";
  return met ? "only the scaled figure meets the goal" : "the scaled figure misses the goal";
}

/** Renders results as a table for a terminal. */
export function textTable(results: readonly Result[]): string {
  return aligned(HEADER, results.map(cells));
}

/** Renders the known stalls of the rows as a table for a terminal; empty if none is known. */
export function stallsTable(rows: readonly Pick<Row, "id" | "measures">[], results: readonly Result[]): string {
  const lines = rows.flatMap(({ id, measures: [first] }) => {
    const stallMs = results.find(({ measure }) => measure === first)?.stallMs;
    return stallMs === undefined ? [] : [[id, formatValue(stallMs, "ms")]];
  });
  return lines.length === 0
    ? ""
    : aligned(["row", "longest stall of the API server by the clock (20 ms is none)"], lines);
}

function aligned(header: readonly string[], content: readonly (readonly string[])[]): string {
  const lines = [header, ...content];
  const widths = header.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? "").length)));
  return lines
    .map((line) =>
      line
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Renders a table for a document. */
export function markdownTable(header: readonly string[], lines: readonly (readonly string[])[]): string {
  const row = (line: readonly string[]): string => `| ${line.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [row(header), `|${header.map(() => "---|").join("")}`, ...lines.map(row)].join("\n");
}
