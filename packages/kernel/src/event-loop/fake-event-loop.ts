import type { EventLoop } from "./event-loop.ts";

/** An event loop whose turns a test steps, and whose time only changes by {@link pass}. */
export class FakeEventLoop implements EventLoop {
  #nowMs = 0;
  #deferred: (() => void)[] = [];

  defer(callback: () => void): void {
    this.#deferred.push(callback);
  }

  nextTurn(): Promise<void> {
    return new Promise((resolve) => this.defer(resolve));
  }

  nowMs(): number {
    return this.#nowMs;
  }

  /** Advances the time by `ms` milliseconds, to simulate work within a turn. */
  pass(ms: number): void {
    this.#nowMs += ms;
  }

  /** The number of callbacks that wait for the next turn. */
  get waiting(): number {
    return this.#deferred.length;
  }

  /**
   * Runs the next turn: the callbacks that were deferred before it, in order. Returns false when there are none. If a callback
   * throws, the error goes to the caller and the callbacks after it wait for the next turn.
   */
  turn(): boolean {
    const due = this.#deferred;
    this.#deferred = [];
    for (const [index, callback] of due.entries()) {
      try {
        callback();
      } catch (error) {
        this.#deferred.unshift(...due.slice(index + 1));
        throw error;
      }
    }
    return due.length > 0;
  }

  /** Runs {@link turn} until no callback waits, and lets promises settle after each. Returns the number of turns. */
  async settle(): Promise<number> {
    let turns = 0;
    await settlePromises();
    while (this.turn()) {
      turns++;
      await settlePromises();
    }
    return turns;
  }
}

const settlePromises = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
