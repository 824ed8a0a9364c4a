import { startOf } from "../../cache/ranked-pods.ts";
import type { Candidate } from "../../framework/candidate.ts";

/** What decides between candidates. */
export interface CandidateRank {
  /** Number of evictions that a disruption budget does not allow. */
  readonly violations: number;
  /** Priority of the most important victim. */
  readonly highest: number;
  /** Sum of priorities, shifted so that none is negative and each further victim increases the sum. */
  readonly weight: number;
  /** Number of victims. */
  readonly count: number;
  /**
   * Start of the longest running among the victims of highest priority; {@link NEVER} if none has started. The later it is, the less
   * work is lost.
   */
  readonly earliestStart: string;
}

/** After all times. */
export const NEVER = "~";

/** A priority as a part of {@link CandidateRank.weight}. */
export const weightOf = (priority: number): number => priority + 2 ** 31;

/** Ranks a candidate with any victims: extenders choose others. */
function rankOf({ victims, violations }: Candidate): CandidateRank {
  const highest = victims[0]?.priority ?? Number.NEGATIVE_INFINITY;
  let weight = 0;
  let earliestStart = NEVER;
  for (const victim of victims) {
    weight += weightOf(victim.priority);
    if (victim.priority !== highest) continue;
    const start = startOf(victim);
    if (start !== "" && start < earliestStart) earliestStart = start;
  }
  return { violations, highest, weight, count: victims.length, earliestStart };
}

const compareStarts = (a: string, b: string): number => (a === b ? 0 : a > b ? -1 : 1);

/**
 * Whether a candidate is better than the best one before it (upstream: `pickOneNodeForPreemption`): the fewest budget violations,
 * then the lowest highest priority of a victim, the lowest sum of priorities, the fewest victims, the youngest victims.
 */
export const isBetter = (a: CandidateRank, b: CandidateRank): boolean =>
  (a.violations - b.violations ||
    a.highest - b.highest ||
    a.weight - b.weight ||
    a.count - b.count ||
    compareStarts(a.earliestStart, b.earliestStart)) < 0;

/** The best candidate; of equals the first. */
export function cheapest(candidates: readonly Candidate[]): Candidate | undefined {
  let best: { readonly candidate: Candidate; readonly rank: CandidateRank } | undefined;
  for (const candidate of candidates) {
    const rank = rankOf(candidate);
    if (best === undefined || isBetter(rank, best.rank)) best = { candidate, rank };
  }
  return best?.candidate;
}
