import { MAX_SCORE } from "./interfaces.ts";

/**
 * Scales scores to the best one, which becomes 100. If all are 0, they stay 0.
 *
 * @see reversedScores for plugins whose lowest score is the best
 */
export function defaultNormalizeScore(scores: Float64Array): void {
  const most = highest(scores);
  if (most === 0) return;
  for (let i = 0; i < scores.length; i++) scores[i] = Math.floor((MAX_SCORE * (scores[i] ?? 0)) / most);
}

/** Scales scores so that 0 becomes 100, and the highest 0. If all are 0, they become 100. */
export function reversedScores(scores: Float64Array): void {
  const most = highest(scores);
  for (let i = 0; i < scores.length; i++)
    scores[i] = most === 0 ? MAX_SCORE : MAX_SCORE - Math.floor((MAX_SCORE * (scores[i] ?? 0)) / most);
}

function highest(scores: Float64Array): number {
  let most = 0;
  for (let i = 0; i < scores.length; i++) most = Math.max(most, scores[i] ?? 0);
  return most;
}
