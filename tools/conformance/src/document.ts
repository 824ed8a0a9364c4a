import { judge } from "./judgements.ts";
import type { StoreName } from "./options.ts";
import type { Result } from "./results.ts";

/** The results of one run of the suite. */
export interface StoreResults {
  readonly store: StoreName;
  readonly results: ReadonlyMap<string, Result>;
}

type Verdict = "passed" | "right at 1.27" | "failed" | "not run";

function verdictOf(spec: string, result: Result | undefined): Verdict {
  if (result === "passed") return "passed";
  if (result === undefined) return "not run";
  return judge(spec) === undefined ? "failed" : "right at 1.27";
}

const row = (cells: readonly (string | number)[]): string => `| ${cells.join(" | ")} |`;

const VERDICTS: readonly Verdict[] = ["passed", "right at 1.27", "failed", "not run"];

function countOf(specs: readonly string[], { results }: StoreResults, verdict: Verdict): number {
  return specs.filter((spec) => verdictOf(spec, results.get(spec)) === verdict).length;
}

/** A spec's name without the [Conformance] tag, escaped for a table. */
const shown = (spec: string): string => spec.replaceAll(/ ?\[Conformance\]/g, "").replaceAll("|", "\\|");

const groupOf = (spec: string): string => /^\[([^\]]+)\]/.exec(spec)?.[1] ?? "other";

function renderGroup(name: string, specs: readonly string[], runs: readonly StoreResults[]): readonly string[] {
  const lines = specs.map((spec) => {
    const verdicts = runs.map(({ results }) => verdictOf(spec, results.get(spec)));
    const why = verdicts.every((verdict) => verdict === "passed") ? "" : (judge(spec)?.why ?? "");
    return row([shown(spec.replace(/^\[[^\]]+\] /, "")), ...verdicts, why]);
  });
  return [
    `## ${name}`,
    "",
    row(["spec", ...runs.map(({ store }) => store), "why"]),
    row(["---", ...runs.map(() => "---"), "---"]),
    ...lines,
    "",
  ];
}

/**
 * Renders `docs/conformance.md`: the result of every spec.
 *
 * @param certifying - names of the specs that certify a cluster, including those that were not run
 */
export function renderDocument(runs: readonly StoreResults[], certifying: readonly string[], date: string): string {
  const specs = [...new Set([...certifying, ...runs.flatMap(({ results }) => [...results.keys()])])].sort();
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
    row(["store", ...VERDICTS]),
    row(["---", ...VERDICTS.map(() => "---")]),
    ...runs.map((run) => row([run.store, ...VERDICTS.map((verdict) => countOf(specs, run, verdict))])),
    "",
    ...[...groups].flatMap(([name, members]) => renderGroup(name, members, runs)),
  ].join("\n");
}

/** The specs that fail without an explanation. */
export function defectsOf({ results }: StoreResults): readonly string[] {
  return [...results].filter(([spec, result]) => verdictOf(spec, result) === "failed").map(([spec]) => spec);
}
