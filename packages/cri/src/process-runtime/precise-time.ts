import type { Clock } from "@orchernetes/kernel";

/** Largest difference from the wall clock that is tolerated, in ms. */
const toleranceMs = 2;

/**
 * Returns a clock in milliseconds since the Unix epoch with fractions, so that events in quick succession keep their
 * order. It advances with the monotonic clock, and is set to the wall clock when the two differ by more than 2 ms.
 */
export function preciseTime(clock: Pick<Clock, "nowMs" | "monotonicMs">): () => number {
  let originMs = clock.nowMs() - clock.monotonicMs();
  return () => {
    const preciseMs = originMs + clock.monotonicMs();
    const wallMs = clock.nowMs();
    if (Math.abs(preciseMs - wallMs) <= toleranceMs) return preciseMs;
    // The wall clock was set, or drifted.
    originMs += wallMs - preciseMs;
    return wallMs;
  };
}
