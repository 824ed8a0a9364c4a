import { type ClusterKind, isUsual, titleOf } from "./cluster-kind.ts";
import { judge } from "./judgements.ts";
import type { Result } from "./results.ts";

/** The results of the runs of the suite against one kind of cluster. */
export interface ClusterResults extends ClusterKind {
  readonly results: ReadonlyMap<string, Result>;
}

/** Results with the title of their column. */
interface Column {
  readonly title: string;
  readonly agent: ClusterKind["agent"];
  readonly results: ReadonlyMap<string, Result>;
}

const NODE_SPEC = /\[NodeConformance\]/;
const SCHEDULING_SPEC = /\[sig-scheduling\]/;

type Verdict = "passed" | "right at 1.27" | "of the agent" | "failed" | "not run";

function verdictOf(spec: string, { agent, results }: Pick<Column, "agent" | "results">): Verdict {
  const result = results.get(spec);
  if (result === "passed") return "passed";
  if (result === undefined) return "not run";
  const judgement = judge(spec, agent);
  if (judgement === undefined) return "failed";
  return judgement.agent === undefined ? "right at 1.27" : "of the agent";
}

const row = (cells: readonly (string | number)[]): string => `| ${cells.join(" | ")} |`;

const VERDICTS: readonly Verdict[] = ["passed", "right at 1.27", "failed", "not run"];

function countOf(specs: readonly string[], column: Column, verdict: Verdict): number {
  return specs.filter((spec) => verdictOf(spec, column) === verdict).length;
}

/** A spec's name without the [Conformance] tag, escaped for a table. */
const shown = (spec: string): string => spec.replaceAll(/ ?\[Conformance\]/g, "").replaceAll("|", "\\|");

const groupOf = (spec: string): string => /^\[([^\]]+)\]/.exec(spec)?.[1] ?? "other";

/** With the suite's agent, also those that it alone fails. */
const NODE_VERDICTS: readonly Verdict[] = ["passed", "right at 1.27", "of the agent", "failed", "not run"];

function renderTable(specs: readonly string[], columns: readonly Column[]): readonly string[] {
  const lines = specs.map((spec) => {
    const verdicts = columns.map((column) => verdictOf(spec, column));
    const whys = columns.flatMap(({ agent }, i) => (verdicts[i] === "passed" ? [] : (judge(spec, agent)?.why ?? [])));
    return row([shown(spec.replace(/^\[[^\]]+\] /, "")), ...verdicts, [...new Set(whys)].join("; ")]);
  });
  return [
    row(["spec", ...columns.map(({ title }) => title), "why"]),
    row(["---", ...columns.map(() => "---"), "---"]),
    ...lines,
    "",
  ];
}

const renderCounts = (
  head: string,
  specs: readonly string[],
  columns: readonly Column[],
  verdicts = VERDICTS,
): readonly string[] => [
  row([head, ...verdicts]),
  row(["---", ...verdicts.map(() => "---")]),
  ...columns.map((column) => row([column.title, ...verdicts.map((verdict) => countOf(specs, column, verdict))])),
  "",
];

/**
 * The section about the specs of the node agent: all that are marked `[NodeConformance]`, also those that do not certify a cluster, by number
 * of nodes and by agent.
 */
export function renderNodeSpecs(runs: readonly ClusterResults[]): readonly string[] {
  const columns = runs.map((run): Column => ({ ...run, title: titleOf(run) }));
  const specs = [...new Set(runs.flatMap(({ results }) => [...results.keys()]))]
    .filter((spec) => NODE_SPEC.test(spec))
    .sort();
  return [
    "## The node agent",
    "",
    "All specs marked [NodeConformance], on clusters of one and of two nodes. Where the suite's agent is named, it has joined this project's",
    "API server with a bootstrap token, in place of this project's agent, and runs on the same containerd: what fails with both would be a",
    "matter of the server. **of the agent**: the spec fails because of the suite's agent.",
    "",
    ...renderCounts("cluster", specs, columns, NODE_VERDICTS),
    ...renderTable(specs, columns),
  ];
}

/** The section about scheduling with the suite's scheduler: what fails with both would be a matter of the server. */
function renderSchedulingSpecs(runs: readonly ClusterResults[]): readonly string[] {
  const columns = runs.map((run): Column => ({ ...run, title: titleOf(run) }));
  const specs = [...new Set(runs.flatMap(({ results }) => [...results.keys()]))]
    .filter((spec) => SCHEDULING_SPEC.test(spec))
    .sort();
  return [
    "## The scheduler",
    "",
    "All specs marked [sig-scheduling], also with the suite's scheduler of level 1.20 in place of this project's. It uses this project's API",
    "server through a proxy that translates the versions which level 1.27 does not serve.",
    "",
    ...renderCounts("cluster", specs, columns),
    ...renderTable(specs, columns),
  ];
}

/**
 * Renders `docs/conformance.md`: the result of every spec.
 *
 * @param certifying - names of the specs that certify a cluster, including those that were not run
 */
export function renderDocument(runs: readonly ClusterResults[], certifying: readonly string[], date: string): string {
  const usual = runs.filter(isUsual);
  const ownScheduler = runs.filter(({ scheduler }) => scheduler === "own");
  const columns = usual.map((run): Column => ({ ...run, title: run.store }));
  const specs = [...new Set([...certifying, ...usual.flatMap(({ results }) => [...results.keys()])])].sort();
  const groups = Map.groupBy(specs, groupOf);
  return [
    "# Conformance",
    "",
    "The certifying suite of this API, at level 1.20 and in this project's dialect, run against local clusters of two nodes. Written by",
    "`node tools/conformance/src/main.ts SUITE`, where SUITE is the folder in which the suite was built; do not edit.",
    "",
    "- **passed**: the spec passes.",
    "- **right at 1.27**: the spec asks for behaviour that level 1.27 no longer has.",
    "- **failed**: the spec fails, and that is a defect.",
    "",
    `Run on ${date}.`,
    "",
    ...renderCounts("store", specs, columns),
    ...[...groups].flatMap(([name, members]) => [`## ${name}`, "", ...renderTable(members, columns)]),
    ...(ownScheduler.length > usual.length ? renderNodeSpecs(ownScheduler) : []),
    ...(runs.length > ownScheduler.length
      ? renderSchedulingSpecs(runs.filter((run) => isUsual(run) || run.scheduler === "reference"))
      : []),
  ].join("\n");
}

/** The specs that fail without an explanation. */
export function defectsOf(run: ClusterResults): readonly string[] {
  return [...run.results.keys()].filter((spec) => verdictOf(spec, run) === "failed");
}
