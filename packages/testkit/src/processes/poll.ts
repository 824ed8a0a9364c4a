import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "@orchernetes/kernel";

/** How {@link poll} asks. */
export interface PollOptions {
  /** For the message, e.g. "the deployment to be complete". */
  readonly what: string;
  /** @default 60000 */
  readonly timeoutMs?: number;
  /** @default 100 */
  readonly intervalMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Asks until the answer is neither undefined nor false, and returns it. Errors count as "not yet".
 *
 * @throws Error when the time is over, naming what was waited for and the last error
 */
export async function poll<T>(
  { what, timeoutMs = 60_000, intervalMs = 100, signal }: PollOptions,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
): Promise<T> {
  let last: unknown;
  for (const until = performance.now() + timeoutMs; performance.now() < until; ) {
    signal?.throwIfAborted();
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== false) return answer;
      last = undefined;
    } catch (error) {
      last = error;
    }
    await sleep(intervalMs, undefined, { signal });
  }
  const why = last === undefined ? "" : `: ${messageOf(last)}`;
  throw new Error(`waited ${timeoutMs / 1000} s for ${what}${why}`, { cause: last });
}
