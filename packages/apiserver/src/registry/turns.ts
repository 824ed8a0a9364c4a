import { setImmediate as nextTurn } from "node:timers/promises";

/** Gives each of its callers a turn of the event loop of its own, in the order of the calls. */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when the caller may work; others come in later turns. */
  next(): Promise<void> {
    this.#last = this.#last.then(() => nextTurn());
    return this.#last;
  }
}
