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

\`npm run bench\` measures all rows and writes this file. \`--rows a,b\` measures only some rows; \`--quick\` does less work for each row, and writes
nothing. Each row has its own server processes and directories. The load runs on the same machine, in a separate process. The figures in column
"upstream" are those of kube-apiserver 1.20.2 with etcd 3.4.23, and of its scheduler and controller manager, on a machine of this kind. A row that
does not name a store runs on etcd, as upstream does.

${markdownTable([...HEADER, "date"], latest)}

**Column "scaled" is computed, not measured.** The limit of a machine is the number of requests per second that a bare Node TLS server answers on
it. It is measured at the beginning and at the end of every run (the last row shows both), and the mean of the two is used. The goals were set on a
machine with a limit of 39,000 to 45,000. The column shows what a measured figure would be if it changed in proportion to the limit: rates are
multiplied by ${reference} / limit, times are multiplied by limit / ${reference}, and memory is not changed. This assumes that all work becomes faster or slower in
the same way as TLS responses, which is not true of work that waits for a disk or for other processes. Column "standing" considers only the measured
figure. If the scaled figure would change whether the goal is met, the remarks say so.

## Stalls

A stall is the longest time for which the event loop of a row's API server was blocked. It is measured from the time when the server is ready until
the end of the row, including filling and warming up, by the metric that the server exports (\`nodejs_eventloop_lag_seconds{quantile="1"}\`). The
figure is the wall-clock time of one iteration of the event loop. (Before 24 November 2026, it was the time between two samples that should have been
20 ms apart.) It therefore includes time in which the process waited for a core, because the load, etcd and the other daemons of the row use the same
cores. The server exports no corresponding figure in CPU time.

${markdownTable(["row", "work", "longest stall", "date"], stalls)}

Machines: ${machines.length === 0 ? "none yet" : machines.join(" — ")}.

${HISTORY}

| date | row | figure | limit of the run | longest stall | remarks | machine |
|---|---|---|---|---|---|---|
${past.join("\n")}
`;
}
