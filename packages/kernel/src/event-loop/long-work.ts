import type { EventLoop } from "./event-loop.ts";
import { OwnTurns } from "./own-turns.ts";

/**
 * Work that may take long, as a generator. A step is the code up to the next `yield` and should take a millisecond at
 * most. `yield` returns true when nobody waits for the result any more; the work should then end.
 */
export type InterruptibleSteps<T> = Generator<undefined, T, boolean>;

/** Longest time that steps take in one turn of the event loop, in milliseconds. */
const sliceMs = 5;

/**
 * Divides long work into slices of a few milliseconds. Each slice has a turn of the event loop of its own, however much work is in
 * flight; work that fits into one slice is done immediately.
 */
export class LongWork {
  readonly #loop: EventLoop;
  readonly #turns: OwnTurns;

  constructor(loop: EventLoop) {
    this.#loop = loop;
    this.#turns = new OwnTurns(loop);
  }

  /**
   * Runs steps to their end.
   *
   * @param signal - after it aborts, `yield` returns true in the steps
   * @returns the result, or a promise of it if the steps take more than one slice
   */
  run<T>(steps: InterruptibleSteps<T>, signal?: AbortSignal): T | Promise<T> {
    const first = steps.next(false);
    if (first.done === true) return first.value;
    const result = this.#slice(steps, signal);
    return result.done === true ? result.value : this.#rest(steps, signal);
  }

  async #rest<T>(steps: InterruptibleSteps<T>, signal: AbortSignal | undefined): Promise<T> {
    for (;;) {
      await this.#turns.next();
      const result = this.#slice(steps, signal);
      if (result.done === true) return result.value;
    }
  }

  #slice<T>(steps: InterruptibleSteps<T>, signal: AbortSignal | undefined): IteratorResult<undefined, T> {
    const endMs = this.#loop.nowMs() + sliceMs;
    for (;;) {
      const result = steps.next(signal?.aborted === true);
      if (result.done === true || this.#loop.nowMs() >= endMs) return result;
    }
  }
}
