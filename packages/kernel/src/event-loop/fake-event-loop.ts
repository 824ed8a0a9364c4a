import type { EventLoop } from "./event-loop.ts";

/** An event loop whose turns a test steps, and whose time passes only when work says so. */
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

  /** Lets time pass within a turn, as work does. */
  pass(ms: number): void {
    this.#nowMs += ms;
  }

  /** Callbacks that wait for the next turn. */
  get waiting(): number {
    return this.#deferred.length;
  }

  /**
   * Runs the next turn: what was deferred before it, in order. False when nothing was. What a callback throws ends the turn for the
   * caller; the callbacks after it wait for the next.
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

  /** {@link turn} until nothing waits, letting promises settle after each. Gives the number of turns. */
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
