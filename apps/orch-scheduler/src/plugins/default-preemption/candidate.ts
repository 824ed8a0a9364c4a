import type { PodInfo } from "../../cache/pod-info.ts";

/** A node that would have room without some of its pods. */
export interface Candidate {
  readonly slot: number;
  /** What would have to go, the most important first. Never empty. */
  readonly victims: readonly PodInfo[];
  /** How many of these a disruption budget would rather keep. */
  readonly violations: number;
}

const startOf = ({ pod }: PodInfo): string => pod.status.startTime ?? "";

/** Which of two pods is to be kept rather than the other: by priority, then the one that runs longer. */
export function byImportance(a: PodInfo, b: PodInfo): number {
  if (a.priority !== b.priority) return b.priority - a.priority;
  const [first, second] = [startOf(a), startOf(b)];
  // Not started yet is the youngest.
  if (first === second) return 0;
  if (first === "") return 1;
  if (second === "") return -1;
  return first < second ? -1 : 1;
}

const highest = ({ victims }: Candidate): number => victims[0]?.priority ?? Number.NEGATIVE_INFINITY;

/** Priorities summed; shifted so that no priority is negative and more victims always weigh more. */
const weight = ({ victims }: Candidate): number => victims.reduce((sum, { priority }) => sum + priority + 2 ** 31, 0);

/** When the longest running of the most important victims began; the later, the less is lost. */
const earliestStart = (candidate: Candidate): string => {
  const top = highest(candidate);
  const starts = candidate.victims.filter(({ priority }) => priority === top).map(startOf);
  return starts.some((start) => start === "") ? "~" : ([...starts].sort()[0] ?? "~");
};

/**
 * The candidate that costs least: the fewest budget violations, then the lowest top priority among the victims, the lowest
 * sum of priorities, the fewest victims, the youngest victims, and at last the first.
 */
export function cheapest(candidates: readonly Candidate[]): Candidate | undefined {
  const compare = (a: Candidate, b: Candidate): number =>
    a.violations - b.violations ||
    highest(a) - highest(b) ||
    weight(a) - weight(b) ||
    a.victims.length - b.victims.length ||
    (earliestStart(a) === earliestStart(b) ? 0 : earliestStart(a) > earliestStart(b) ? -1 : 1);
  let best: Candidate | undefined;
  for (const candidate of candidates) if (best === undefined || compare(candidate, best) < 0) best = candidate;
  return best;
}
