import { type ClientRow, OPERATIONS, type Outcome } from "./operations.ts";

const SYMBOLS = { passed: "✓", failed: "✗", absent: "–", skipped: "skipped" } as const;
const WHY_LENGTH = 200;

/** The text as one line in a Markdown table cell, cut off at 200 characters. */
const oneLine = (text: string): string => {
  const line = text.replaceAll(/\s+/g, " ").replaceAll("|", "\\|").trim();
  return line.length > WHY_LENGTH ? `${line.slice(0, WHY_LENGTH)}…` : line;
};

const cell = (outcome: Outcome | undefined): string =>
  outcome === undefined ? "" : outcome.type === "skipped" ? `skipped: ${oneLine(outcome.why)}` : SYMBOLS[outcome.type];

/** The table of clients as Markdown, with the reasons of failures below it. */
export function renderClients(rows: readonly ClientRow[], date: string): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const failures = rows.flatMap((row) =>
    "missing" in row
      ? []
      : [...row.outcomes].flatMap(([operation, outcome]) =>
          outcome.type === "failed" ? [`- ${row.name}, ${operation}: ${oneLine(outcome.why)}`] : [],
        ),
  );
  return [
    `Of ${date}; ✓ works, ✗ fails, – the client has no such operation.`,
    "",
    line(["client", ...OPERATIONS]),
    line(["---", ...OPERATIONS.map(() => "---")]),
    ...rows.map((row) =>
      "missing" in row
        ? line([row.name, `skipped: ${oneLine(row.missing)}`, ...OPERATIONS.slice(1).map(() => "")])
        : line([row.name, ...OPERATIONS.map((operation) => cell(row.outcomes.get(operation)))]),
    ),
    ...(failures.length === 0 ? [] : ["", ...failures]),
  ].join("\n");
}
