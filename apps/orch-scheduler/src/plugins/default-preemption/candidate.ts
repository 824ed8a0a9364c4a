import type { PodInfo } from "../../cache/pod-info.ts";
import type { Candidate } from "../../framework/candidate.ts";

const startOf = ({ pod }: PodInfo): string => pod.status.startTime ?? "";

/** Orders pods by importance: higher priority first, then the one that has run longer. */
export function byImportance(a: PodInfo, b: PodInfo): number {
  if (a.priority !== b.priority) return b.priority - a.priority;
  const [first, second] = [startOf(a), startOf(b)];
  // A pod that has not started is the youngest.
  if (first === second) return 0;
  if (first === "") return 1;
  if (second === "") return -1;
  return first < second ? -1 : 1;
}

/** A candidate with what decides between candidates; the rest is computed only where that is equal. */
interface Ranked {
  readonly candidate: Candidate;
  /** Priority of the most important victim. */
  readonly highest: number;
  /** Sum of priorities, shifted so that none is negative and each further victim increases the sum. */
  readonly weight: number;
}

function rank(candidate: Candidate): Ranked {
  const { victims } = candidate;
  let weight = 0;
  for (const { priority } of victims) weight += priority + 2 ** 31;
  return { candidate, highest: victims[0]?.priority ?? Number.NEGATIVE_INFINITY, weight };
}

/**
 * Start of the longest running among the victims of highest priority; "~", which is after all times, if none has started. The later
 * it is, the less work is lost.
 */
function earliestStart({ candidate, highest }: Ranked): string {
  let earliest = "~";
  for (const victim of candidate.victims) {
    if (victim.priority !== highest) continue;
    const start = startOf(victim);
    if (start !== "" && start < earliest) earliest = start;
  }
  return earliest;
}

function compareStarts(a: Ranked, b: Ranked): number {
  const [first, second] = [earliestStart(a), earliestStart(b)];
  return first === second ? 0 : first > second ? -1 : 1;
}

/**
 * The best candidate (upstream: `pickOneNodeForPreemption`): the fewest budget violations, then the lowest highest
 * priority of a victim, the lowest sum of priorities, the fewest victims, the youngest victims, and finally the first.
 */
export function cheapest(candidates: readonly Candidate[]): Candidate | undefined {
  let best: Ranked | undefined;
  for (const candidate of candidates) {
    const next = rank(candidate);
    if (best === undefined || compare(next, best) < 0) best = next;
  }
  return best?.candidate;
}

const compare = (a: Ranked, b: Ranked): number =>
  a.candidate.violations - b.candidate.violations ||
  a.highest - b.highest ||
  a.weight - b.weight ||
  a.candidate.victims.length - b.candidate.victims.length ||
  compareStarts(a, b);
