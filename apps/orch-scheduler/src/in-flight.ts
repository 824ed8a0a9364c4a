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

  /**
   * Starts work on each item, on at most `atOnce` of them at the same time, in their order. It must not reject.
   *
   * @returns resolves when all of it has ended
   */
  async startEach<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
    const left = items[Symbol.iterator]();
    const workOff = async (): Promise<void> => {
      for (let next = left.next(); !next.done; next = left.next()) await work(next.value);
    };
    const lanes: Promise<void>[] = [];
    for (let i = 0; i < Math.min(atOnce, items.length); i++)
      this.start(() => {
        const lane = workOff();
        lanes.push(lane);
        return lane;
      });
    await Promise.all(lanes);
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
