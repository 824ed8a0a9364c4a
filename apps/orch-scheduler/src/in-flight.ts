import type { Clock } from "@orchernetes/kernel";

/** Counts work in the background, so that the caller can wait when there is too much of it. One waiter at a time. */
export class InFlight {
  readonly #limit: number;
  #count = 0;
  #wake: (() => void) | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get count(): number {
    return this.#count;
  }

  /** Starts work immediately, also beyond the limit. It must not reject. */
  start(work: () => Promise<void>): void {
    this.#count++;
    void work().finally(() => {
      this.#count--;
      this.#wake?.();
    });
  }

  /** Resolves when less than the limit is in flight, or the signal is aborted. */
  async room(signal: AbortSignal): Promise<void> {
    while (this.#count >= this.#limit && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const done = () => {
          signal.removeEventListener("abort", done);
          this.#wake = undefined;
          resolve();
        };
        this.#wake = done;
        signal.addEventListener("abort", done, { once: true });
      });
    }
  }

  /** Resolves when nothing is in flight, or after `timeoutMs`. */
  async idle(clock: Clock, timeoutMs: number): Promise<void> {
    if (this.#count === 0) return;
    await new Promise<void>((resolve) => {
      const timer = clock.setTimeout(resolve, timeoutMs);
      this.#wake = () => {
        if (this.#count > 0) return;
        timer.clear();
        resolve();
      };
    });
  }
}
