import type { Clock, Timer } from "@orchernetes/kernel";

/** An entry of the linked list, in the order in which items are due; without an item once it has left the list. */
interface Place<T> {
  item: T | undefined;
  readonly dueMs: number;
  previous: Place<T> | undefined;
  next: Place<T> | undefined;
}

/** Result of {@link Deadlines.add}, for {@link Deadlines.delete}; undefined if items are never late. */
export type Ticket<T> = Place<T> | undefined;

/**
 * Deadlines of items that all have the same timeout, such as requests. As the first one added is the first one due, a
 * single timer for the oldest is enough, and an item that ends in time costs an insertion and a removal.
 *
 * It is a linked list whose entries drop all references when they leave, and not a Map: each growth of a Map leaves
 * behind a table that points to the next, and once one of them is in the old generation, all later ones survive each
 * collection of the young generation, with every item in them.
 */
export class Deadlines<T extends object | string | number> {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #onLate: (item: T) => void;
  #first: Place<T> | undefined;
  #last: Place<T> | undefined;
  #timer: Timer | undefined;

  /**
   * @param timeoutMs 0 or less: nothing is ever late
   * @param onLate called once for each item that was not deleted in time, in the order of `add`
   */
  constructor(clock: Clock, timeoutMs: number, onLate: (item: T) => void) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#onLate = onLate;
  }

  /** Starts the time of an item. */
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
