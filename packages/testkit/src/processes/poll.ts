import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "@orchernetes/kernel";

/** Interval and time limit of {@link poll}. */
export interface PollOptions {
  /** What is waited for, as the error says it: "the deployment to be complete". */
  readonly what: string;
  /** @default 60000 */
  readonly timeoutMs?: number;
  /** @default 100 */
  readonly intervalMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Calls a function until its result is neither undefined nor false, and returns that. Errors count as "not yet".
 * Calls never overlap.
 *
 * @throws Error at the time limit, with what was waited for and the last error; the signal's reason when it aborts
 */
export async function poll<T>(
  { what, timeoutMs = 60_000, intervalMs = 100, signal }: PollOptions,
  check: () => Promise<T | undefined | false> | T | undefined | false,
): Promise<T> {
  let last: unknown;
  for (const until = performance.now() + timeoutMs; performance.now() < until; ) {
    signal?.throwIfAborted();
    try {
      const result = await check();
      if (result !== undefined && result !== false) return result;
      last = undefined;
    } catch (error) {
      last = error;
    }
    await sleep(intervalMs, undefined, { signal });
  }
  const why = last === undefined ? "" : `: ${messageOf(last)}`;
  throw new Error(`waited ${timeoutMs / 1000} s for ${what}${why}`, { cause: last });
}
