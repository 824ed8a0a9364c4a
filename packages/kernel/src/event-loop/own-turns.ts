import type { EventLoop } from "./event-loop.ts";

/** Gives each caller a turn of the event loop of its own, in the order of the calls. */
export class OwnTurns {
  readonly #loop: EventLoop;
  #last: Promise<void> = Promise.resolve();

  constructor(loop: EventLoop) {
    this.#loop = loop;
  }

  /** Resolves when the caller may work; other callers work in later turns. */
  next(): Promise<void> {
    this.#last = this.#last.then(() => this.#loop.nextTurn());
    return this.#last;
  }
}
