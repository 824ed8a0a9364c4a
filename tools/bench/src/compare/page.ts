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

\`npm run bench -- --against DIR\` compares the API server of another checkout with that of this one, and writes this file.

Both servers run at the same time on the same machine, and take turns: requests go to one server for a third of a second and then to the other.
Requests of the rows LIST and watch go to one server in each half of a round. The figure is the CPU time (user and system) of the server's process
for each request or event that it answered. The ratio of two turns therefore hardly depends on the other load of the machine, whereas rates that are
measured in different minutes would. Two processes of the same code can differ by a tenth for as long as they run, so the rounds are divided among
several starts of both servers.

A ratio below 1 means that this code needs less CPU time. Each start counts as one figure, the median of its turns. The interval contains the true
median of the starts with a probability of 95 % (sign test). If it contains 1, no difference was shown.

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
