import type { Measure, Result } from "../row.ts";
import { formatValue } from "./format.ts";
import { cells, markdownTable } from "./table.ts";

/** One line of the document's history: a figure of one day on one machine. */
export interface Measurement {
  /** ISO date. */
  readonly date: string;
  readonly id: string;
  readonly value: number;
  readonly note: string;
  readonly machine: string;
}

const HISTORY = "## History";
const LINE = /^\| (\d{4}-\d\d-\d\d) \| ([\w-]+) \| [^|]* \| ([^|]*) \| ([^|]*) \| <!-- ([\d.eE+-]+) -->$/;

/** Reads the history back from the document; lines that are none are passed over. */
export function readHistory(document: string): readonly Measurement[] {
  const from = document.indexOf(HISTORY);
  if (from < 0) return [];
  return document
    .slice(from)
    .split("\n")
    .flatMap((line) => {
      const [, date, id, note, machine, value] = LINE.exec(line) ?? [];
      if (date === undefined || id === undefined) return [];
      return [{ date, id, value: Number(value), note: note ?? "", machine: machine ?? "" }];
    });
}

/** The history with the results of a run: a figure of the same day and machine is replaced. */
export function addToHistory(
  history: readonly Measurement[],
  results: readonly Result[],
  when: { readonly date: string; readonly machine: string },
): readonly Measurement[] {
  const added = results.flatMap(({ measure, value, note }) =>
    value === undefined ? [] : [{ ...when, id: measure.id, value, note }],
  );
  const replaced = (old: Measurement): boolean =>
    added.some((now) => now.id === old.id && now.date === old.date && now.machine === old.machine);
  return [...history.filter((old) => !replaced(old)), ...added];
}

/**
 * The whole document: the latest figure of every measure beside upstream's and the goal, and the history.
 * @param measures all there are, in order; those never measured show a dash
 */
export function renderDocument(measures: readonly Measure[], history: readonly Measurement[]): string {
  const byId = new Map(measures.map((measure) => [measure.id, measure]));
  const latest = measures.map((measure) => {
    const last = history.findLast(({ id }) => id === measure.id);
    const [work = "", upstream = "", goal = "", measured = "", standing = "", note = ""] = cells({
      measure,
      value: last?.value,
      note: last?.note ?? "not measured yet",
    });
    return [work, upstream, goal, measured, standing, note, last?.date ?? ""];
  });
  const machines = [...new Set(history.map(({ machine }) => machine))];
  const past = history.map(({ date, id, value, note, machine }) => {
    const unit = byId.get(id)?.unit ?? "/s";
    return `| ${date} | ${id} | ${formatValue(value, unit)} | ${note} | ${machine} | <!-- ${value} -->`;
  });
  return `# Benchmarks

\`npm run bench\` measures every row in server processes and folders of its own and writes this file; \`--rows a,b\` measures
some, \`--quick\` less of each. The load runs on the same machine in a process of its own. Upstream's figures are those of
kube-apiserver 1.20.2 with etcd 3.4.23, its scheduler and controller manager on a machine of this kind. Where a row names no
store it runs on etcd, as upstream does.

${markdownTable(["work", "upstream", "goal", "measured", "standing", "remarks", "date"], latest)}

Machines: ${machines.length === 0 ? "none yet" : machines.join(" — ")}.

${HISTORY}

| date | row | figure | remarks | machine |
|---|---|---|---|---|
${past.join("\n")}
`;
}
