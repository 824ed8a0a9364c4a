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

const highest = ({ victims }: Candidate): number => victims[0]?.priority ?? Number.NEGATIVE_INFINITY;

/** Sum of priorities, shifted so that none is negative and each further victim increases the sum. */
const weight = ({ victims }: Candidate): number => victims.reduce((sum, { priority }) => sum + priority + 2 ** 31, 0);

/** Start of the longest running among the victims of highest priority. The later it is, the less work is lost. */
const earliestStart = (candidate: Candidate): string => {
  const top = highest(candidate);
  const starts = candidate.victims.filter(({ priority }) => priority === top).map(startOf);
  return starts.some((start) => start === "") ? "~" : ([...starts].sort()[0] ?? "~");
};

/**
 * The best candidate (upstream: `pickOneNodeForPreemption`): the fewest budget violations, then the lowest highest
 * priority of a victim, the lowest sum of priorities, the fewest victims, the youngest victims, and finally the first.
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
