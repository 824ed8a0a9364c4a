/** The clock and the loop that {@link Slices} go by; the defaults are those of this process. */
export interface SliceDeps {
  /** Milliseconds, from any start. */
  readonly now?: () => number;
  /** Calls back in the next turn of the event loop, after timers and whatever is ready had theirs. */
  readonly nextTurn?: (callback: () => void) => void;
}

/** The event loop gets its turn after so long. */
const SLICE_MS = 10;

/**
 * Does the same to many items, in the order in which they came, without holding the event loop for much longer than
 * {@link SLICE_MS}: as many as that at once, the others in the next turns. An item that waits already is not added again.
 */
export class Slices<T> {
  readonly #work: (item: T) => void;
  readonly #now: () => number;
  readonly #nextTurn: (callback: () => void) => void;
  readonly #waiting = new Set<T>();
  #under = false;

  /** @param work must not throw */
  constructor(work: (item: T) => void, deps: SliceDeps = {}) {
    this.#work = work;
    this.#now = deps.now ?? (() => performance.now());
    this.#nextTurn = deps.nextTurn ?? ((callback) => void setImmediate(callback));
  }

  add(items: Iterable<T>): void {
    for (const item of items) this.#waiting.add(item);
    if (!this.#under && this.#waiting.size > 0) this.#slice();
  }

  /** Forgets an item that waits. */
  delete(item: T): void {
    this.#waiting.delete(item);
  }

  readonly #slice = (): void => {
    // What the work itself adds is done in the same round.
    this.#under = true;
    const started = this.#now();
    for (const item of this.#waiting) {
      this.#waiting.delete(item);
      this.#work(item);
      if (this.#now() - started < SLICE_MS) continue;
      this.#nextTurn(this.#slice);
      return;
    }
    this.#under = false;
  };
}
