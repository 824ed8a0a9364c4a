import type { Clock } from "../interfaces/index.ts";

/**
 * One timer for work that is all given the same time. What is added first is due first, so only the oldest is ever waited
 * for; what ends in time costs an insertion and a removal.
 */
export class Deadlines<T> {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #onLate: (item: T) => void;
  /** When each is due, the earliest first. */
  readonly #due = new Map<T, number>();
  #timer: unknown;

  /** @param timeoutMs 0 or less: nothing is ever late */
  constructor(clock: Clock, timeoutMs: number, onLate: (item: T) => void) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#onLate = onLate;
  }

  /** From now on the item has its time. */
  add(item: T): void {
    if (this.#timeoutMs <= 0) return;
    this.#due.set(item, this.#clock.now() + this.#timeoutMs);
    this.#timer ??= this.#clock.setTimeout(this.#look, this.#timeoutMs);
  }

  /** The item has ended. Idempotent. */
  delete(item: T): void {
    this.#due.delete(item);
  }

  readonly #look = (): void => {
    this.#timer = undefined;
    const now = this.#clock.now();
    for (const [item, dueMs] of this.#due) {
      if (dueMs > now) {
        this.#timer = this.#clock.setTimeout(this.#look, dueMs - now);
        return;
      }
      this.#due.delete(item);
      this.#onLate(item);
    }
  };
}
