import { execFileSync } from "node:child_process";
import { type Comparison, renderComparison } from "./comparison.ts";

/** What a page of a comparison says besides the figures. */
export interface ComparisonFacts {
  /** ISO date. */
  readonly date: string;
  readonly machine: string;
  /** The commit of either checkout, as {@link commitOf} returns it. */
  readonly theirs: string;
  readonly ours: string;
  readonly rounds: number;
  readonly starts: number;
}

/** Renders `docs/benchmarks-compared.md`. */
export function renderComparisonPage(facts: ComparisonFacts, comparisons: readonly Comparison[]): string {
  const { date, machine, theirs, ours, rounds, starts } = facts;
  return `# Benchmarks: this code and an earlier version

\`npm run bench -- --against FOLDER\` compares the API server of another checkout with this one's, and writes this file. Both servers run
at the same time on the same machine, and take turns: requests go to one server for a third of a second and then to the other; LIST and
watch, to one in each half of a round. The figure is the CPU time of the server's process, user and system, for each request or event that
it answered. The ratio of two turns therefore hardly depends on what else the machine does; rates of different minutes would. The rounds
are divided among several starts of both servers: two processes of the same code can differ by a tenth for as long as they live.

A ratio below 1 means that this code needs less CPU time. Each start counts as one figure, the median of its turns. The interval contains
the true median of the starts with a probability of 95 % (sign test): if it contains 1, no difference was shown.

Other: ${theirs}. This: ${ours}. ${rounds} rounds in ${starts} starts, ${date}, ${machine}.

${renderComparison(comparisons)}
`;
}

/** The short commit of a checkout, and whether files differ from it. */
export function commitOf(folder: string): string {
  const git = (...args: readonly string[]) => execFileSync("git", ["-C", folder, ...args], { encoding: "utf8" }).trim();
  const commit = `commit \`${git("rev-parse", "--short=8", "HEAD")}\``;
  return git("status", "--porcelain", "--untracked-files=no") === "" ? commit : `${commit} with changes`;
}
