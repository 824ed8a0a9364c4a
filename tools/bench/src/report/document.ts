import { REFERENCE_LIMIT } from "../limit.ts";
import type { Result, Row } from "../row.ts";
import { formatValue } from "./format.ts";
import { cells, HEADER, markdownTable } from "./table.ts";

/** One line of the document's history: a figure of one day on one machine. */
export interface Measurement {
  /** ISO date. */
  readonly date: string;
  readonly id: string;
  readonly value: number;
  readonly note: string;
  readonly machine: string;
  /** As in {@link Result}; older measurements have neither. */
  readonly limit?: number;
  readonly stallMs?: number;
}

const HISTORY = "## History";
/** The columns are figure, limit and stall (older lines lack the last two), remarks and machine. */
const LINE = /^\| (\d{4}-\d\d-\d\d) \| ([\w-]+) \| (.*) \| <!-- (\S+)(?: limit=(\S+))?(?: stallMs=(\S+))? -->$/;

/** Reads the history from the document; other lines are skipped. */
export function readHistory(document: string): readonly Measurement[] {
  const from = document.indexOf(HISTORY);
  if (from < 0) return [];
  return document
    .slice(from)
    .split("\n")
    .flatMap((line) => {
      const [, date, id, shown = "", value, limit, stallMs] = LINE.exec(line) ?? [];
      if (date === undefined || id === undefined) return [];
      const [note = "", machine = ""] = shown.split(" | ").slice(-2);
      return [{ date, id, value: Number(value), note, machine, ...known(limit, stallMs) }];
    });
}

function known(limit: number | string | undefined, stallMs: number | string | undefined) {
  return {
    ...(limit === undefined ? {} : { limit: Number(limit) }),
    ...(stallMs === undefined ? {} : { stallMs: Number(stallMs) }),
  };
}

/** Adds the results of a run to the history; they replace figures of the same day and machine. */
export function addToHistory(
  history: readonly Measurement[],
  results: readonly Result[],
  when: { readonly date: string; readonly machine: string },
): readonly Measurement[] {
  const added = results.flatMap(({ measure, value, note, limit, stallMs }) =>
    value === undefined ? [] : [{ ...when, id: measure.id, value, note, ...known(limit, stallMs) }],
  );
  const replaced = (old: Measurement): boolean =>
    added.some((now) => now.id === old.id && now.date === old.date && now.machine === old.machine);
  return [...history.filter((old) => !replaced(old)), ...added];
}

/**
 * Renders the document: the latest figure of every measure with that of upstream and the goal, the stalls of each row, and the history.
 * @param rows all rows in order; a dash is shown for those that were never measured
 */
export function renderDocument(
  rows: readonly Pick<Row, "id" | "idle" | "measures">[],
  history: readonly Measurement[],
): string {
  const measures = rows.flatMap((row) => row.measures);
  const byId = new Map(measures.map((measure) => [measure.id, measure]));
  const latest = measures.map((measure) => {
    const last = history.findLast(({ id }) => id === measure.id);
    const { value, note = "not measured yet", limit, stallMs } = last ?? {};
    return [...cells({ measure, value, note, ...known(limit, stallMs) }), last?.date ?? ""];
  });
  const stalls = rows.flatMap(({ id, measures: [first] }) => {
    const last = history.findLast((past) => past.id === first?.id);
    return first === undefined || last?.stallMs === undefined
      ? []
      : [[id, first.work, formatValue(last.stallMs, "ms"), last.date]];
  });
  const machines = [...new Set(history.map(({ machine }) => machine))];
  const past = history.map(({ date, id, value, note, machine, limit, stallMs }) => {
    const unit = byId.get(id)?.unit ?? "/s";
    const beside = [
      limit === undefined ? "—" : formatValue(limit, "req/s"),
      stallMs === undefined ? "—" : formatValue(stallMs, "ms"),
    ];
    const exact = `${value}${limit === undefined ? "" : ` limit=${limit}`}${stallMs === undefined ? "" : ` stallMs=${stallMs}`}`;
    return `| ${[date, id, formatValue(value, unit), ...beside, note, machine].join(" | ")} | <!-- ${exact} -->`;
  });
  const reference = REFERENCE_LIMIT.toLocaleString("en");
  return `# Benchmarks

\`npm run bench\` measures every row in server processes and folders of its own and writes this file; \`--rows a,b\` measures
some, \`--quick\` less of each. The load runs on the same machine in a process of its own. Upstream's figures are those of
kube-apiserver 1.20.2 with etcd 3.4.23, its scheduler and controller manager on a machine of this kind. Where a row names no
store it runs on etcd, as upstream does.

${markdownTable([...HEADER, "date"], latest)}

**"Scaled" is arithmetic, not a measurement.** A machine's limit is what a bare Node TLS server answers on it per second; it is measured
at the beginning and at the end of every run (the last row shows both), and their mean counts. The goals were set on a machine
whose limit is 39,000 to 45,000. The column tells what a measured figure would be if it changed as the limit does: rates are
multiplied by ${reference} / limit, times by limit / ${reference}, memory is left alone. It presumes that all work becomes faster or slower as
TLS answers do; what waits for a disk or for other processes does not. "Goal met", "ahead of upstream" and so on are said of measured
figures only; a remark says when the scaled one would stand otherwise to the goal.

## Stalls

The longest time for which the event loop of a row's API server did nothing else, from when the server was ready until the row's end, with
filling and warming up: \`nodejs_eventloop_lag_seconds{quantile="1"}\`, as the server exports it. It is the time by the clock of
one iteration (of figures before 24 November 2026: between two looks that were to be 20 ms apart), so time in which the process waited for a core, which
the load, etcd and other daemons of the row want as well, is in it. The server exports nothing of the kind in CPU time.

${markdownTable(["row", "work", "longest stall", "date"], stalls)}

Machines: ${machines.length === 0 ? "none yet" : machines.join(" — ")}.

${HISTORY}

| date | row | figure | limit of the run | longest stall | remarks | machine |
|---|---|---|---|---|---|---|
${past.join("\n")}
`;
}
