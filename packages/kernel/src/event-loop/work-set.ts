import type { EventLoop } from "./event-loop.ts";
import { defaultTurnBudget, Spending, type TurnBudget } from "./turn-budget.ts";

/** The options of a {@link WorkSet}. */
export interface WorkSetOptions<T> {
  /** Works on one item. An error that it throws goes to the caller of that turn; the other items wait for the next one. */
  readonly work: (item: T) => void;
  /** Called when the last waiting item has been worked on. */
  readonly onDone?: () => void;
  /** @default 10 ms */
  readonly budget?: TurnBudget;
}

/**
 * Works on many items in the order in which they were added: as many at once as the budget of a turn allows, the others in later
 * turns. An item that is already waiting is not added again.
 */
export class WorkSet<T> {
  readonly #loop: EventLoop;
  readonly #work: (item: T) => void;
  readonly #onDone: (() => void) | undefined;
  readonly #spending: Spending;
  readonly #waiting = new Set<T>();
  #running = false;

  constructor(loop: EventLoop, { work, onDone, budget = defaultTurnBudget }: WorkSetOptions<T>) {
    this.#loop = loop;
    this.#work = work;
    this.#onDone = onDone;
    this.#spending = new Spending(loop, budget);
  }

  add(items: Iterable<T>): void {
    for (const item of items) this.#waiting.add(item);
    if (!this.#running && this.#waiting.size > 0) this.#turn();
  }

  has(item: T): boolean {
    return this.#waiting.has(item);
  }

  /** Removes a waiting item. */
  delete(item: T): void {
    this.#waiting.delete(item);
  }

  readonly #turn = (): void => {
    // Items that the work itself adds belong to the same round.
    this.#running = true;
    this.#spending.begin();
    for (const item of this.#waiting) {
      this.#waiting.delete(item);
      this.#workOn(item);
      this.#spending.add(1);
      if (!this.#spending.isAll) continue;
      this.#loop.defer(this.#turn);
      return;
    }
    this.#running = false;
    this.#onDone?.();
  };

  #workOn(item: T): void {
    let done = false;
    try {
      this.#work(item);
      done = true;
    } finally {
      // A caller may catch the error and go on: without another turn nothing would ever be worked on again.
      if (!done) this.#loop.defer(this.#turn);
    }
  }
}
