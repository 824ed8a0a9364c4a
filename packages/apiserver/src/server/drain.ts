import type { Clock, Timer } from "@orchernetes/kernel";

/** Counts requests in flight, so that a shutdown can wait for them (Go: `sync.WaitGroup`). */
export class WaitGroup {
  #count = 0;
  #waiters: (() => void)[] = [];

  get size(): number {
    return this.#count;
  }

  /** Counts one more; each call needs one of {@link leave}. */
  enter(): void {
    this.#count++;
  }

  leave(): void {
    this.#count--;
    if (this.#count > 0) return;
    for (const resolve of this.#waiters.splice(0)) resolve();
  }

  /** Resolves when nothing is in flight, or after `timeoutMs`; true in the first case. */
  async empty(clock: Clock, timeoutMs: number): Promise<boolean> {
    if (this.#count === 0) return true;
    let timer: Timer | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = clock.setTimeout(() => resolve(false), timeoutMs).unref();
    });
    const done = new Promise<boolean>((resolve) => this.#waiters.push(() => resolve(true)));
    try {
      return await Promise.race([done, late]);
    } finally {
      timer?.clear();
    }
  }
}
