import type { Clock } from "@orchernetes/kernel";

/** Largest difference from the wall clock that is left alone, in ms. */
const toleranceMs = 2;

/**
 * The wall clock in milliseconds since the Unix epoch with fractions, so that events close together keep their order. It follows
 * the monotonic clock, and the wall clock again when the two differ by more than 2 ms.
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
