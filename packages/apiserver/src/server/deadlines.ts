import type { Clock, Timer } from "@orchernetes/kernel";

/** A place in the order in which things are due; without an item once it has been left. */
interface Place<T> {
  item: T | undefined;
  readonly dueMs: number;
  previous: Place<T> | undefined;
  next: Place<T> | undefined;
}

/** What {@link Deadlines.add} gives, for {@link Deadlines.delete}. */
export type Ticket<T> = Place<T> | undefined;

/**
 * One timer for work that is all given the same time. What is added first is due first, so only the oldest is ever waited
 * for; what ends in time costs an insertion and a removal.
 *
 * A list whose places let go of everything when they leave, and no Map: at each growth a Map leaves behind a table that points
 * to the next, and once one of them is old, all that come after it, with every item in them, survive each collection of the
 * young generation.
 */
export class Deadlines<T extends object | string | number> {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #onLate: (item: T) => void;
  #first: Place<T> | undefined;
  #last: Place<T> | undefined;
  #timer: Timer | undefined;

  /** @param timeoutMs 0 or less: nothing is ever late */
  constructor(clock: Clock, timeoutMs: number, onLate: (item: T) => void) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#onLate = onLate;
  }

  /** From now on the item has its time. */
  add(item: T): Ticket<T> {
    if (this.#timeoutMs <= 0) return undefined;
    const place: Place<T> = {
      item,
      dueMs: this.#clock.nowMs() + this.#timeoutMs,
      previous: this.#last,
      next: undefined,
    };
    if (this.#last === undefined) this.#first = place;
    else this.#last.next = place;
    this.#last = place;
    this.#timer ??= this.#clock.setTimeout(this.#look, this.#timeoutMs).unref();
    return place;
  }

  /** The item has ended. Idempotent. */
  delete(place: Ticket<T>): void {
    if (place?.item === undefined) return;
    const { previous, next } = place;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    place.item = undefined;
    place.previous = undefined;
    place.next = undefined;
  }

  readonly #look = (): void => {
    this.#timer = undefined;
    const now = this.#clock.nowMs();
    for (let place = this.#first; place !== undefined; place = this.#first) {
      if (place.dueMs > now) {
        this.#timer = this.#clock.setTimeout(this.#look, place.dueMs - now).unref();
        return;
      }
      const { item } = place;
      this.delete(place);
      if (item !== undefined) this.#onLate(item);
    }
  };
}
