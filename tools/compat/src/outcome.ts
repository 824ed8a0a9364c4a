import { isRightAtLevel } from "./level-differences.ts";
import type { Scenario } from "./replay.ts";

/** How a scenario ended: as recorded, different but right at level 1.27, or wrong. */
export type Outcome = "passed" | "right at 1.27" | "failed";

/** The outcome of a scenario in one run. */
export function outcomeOf({ name, passed, diffs }: Scenario): Outcome {
  if (passed) return "passed";
  return isRightAtLevel(
    name,
    diffs.map(({ path }) => path),
  )
    ? "right at 1.27"
    : "failed";
}

const ORDER: readonly Outcome[] = ["passed", "right at 1.27", "failed"];

/** The outcome over several runs: the worst one. */
export function worstOf(outcomes: readonly Outcome[]): Outcome {
  return ORDER[Math.max(0, ...outcomes.map((outcome) => ORDER.indexOf(outcome)))] ?? "failed";
}
