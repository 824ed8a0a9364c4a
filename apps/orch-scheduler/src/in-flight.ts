import type { Clock } from "@orchernetes/kernel";

/** Work in flight in the background, limited in number. One waiter at a time. */
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

  /** Starts work at once, also beyond the limit. It must not reject. */
  start(work: () => Promise<void>): void {
    this.#count++;
    void work().finally(() => {
      this.#count--;
      this.#wake?.();
    });
  }

  /** Resolves when there is room for more, or the signal aborts. */
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

  /** Resolves when nothing is in flight, or after so many milliseconds. */
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
