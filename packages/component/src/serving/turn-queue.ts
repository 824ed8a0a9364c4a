/** How much a {@link TurnQueue} does in one turn of the event loop: what is reached first ends it. */
export interface TurnLimits {
  /** Milliseconds of work. @default no limit */
  readonly forMs?: number;
  /** Tasks by their weights; for those that cause more work later than they do themselves. @default no limit */
  readonly most?: number;
}

/** The clock and the loop that a {@link TurnQueue} goes by; the defaults are those of this process. */
export interface TurnDeps {
  /** Milliseconds, from any start. */
  readonly now?: () => number;
  /** Calls back in the next turn, after timers and whatever is ready had theirs. */
  readonly nextTurn?: (callback: () => void) => void;
}

/**
 * Does tasks at once while they are few, and puts off what is too much for one turn of the event loop. One turn hands out
 * everything that thousands of connections have to say, and until all of it is done no timer runs and nobody else is heard.
 * Tasks are done in the order in which they came. What one throws goes to who gave it, or is uncaught if it was put off.
 */
export class TurnQueue {
  readonly #halfMs: number;
  readonly #halfMost: number;
  readonly #now: () => number;
  readonly #nextTurn: (callback: () => void) => void;
  #waiting: { readonly task: () => void; readonly weight: number }[] = [];
  /** The next one of `#waiting`. */
  #next = 0;
  #done = 0;
  #sinceMs = 0;
  /** Whether the end of this turn is being waited for. */
  #watched = false;

  constructor({ forMs = Number.POSITIVE_INFINITY, most = Number.POSITIVE_INFINITY }: TurnLimits, deps: TurnDeps = {}) {
    this.#halfMs = forMs / 2;
    this.#halfMost = most / 2;
    this.#now = deps.now ?? (() => performance.now());
    this.#nextTurn = deps.nextTurn ?? ((callback) => void setImmediate(callback));
  }

  /** How many tasks were put off and wait. */
  get waiting(): number {
    return this.#waiting.length - this.#next;
  }

  /**
   * Does a task now, or in a later turn.
   * @param weight as how many tasks it counts; one heavier than a turn's limit is done all the same. @default 1
   */
  run(task: () => void, weight = 1): void {
    if (this.waiting > 0) {
      this.#waiting.push({ task, weight });
      return;
    }
    // Where turns end is only asked about once half of what one may do is done, perhaps over many turns: seldom.
    if (this.#done === 0) this.#sinceMs = this.#now();
    else if (this.#isHalf()) {
      if (this.#watched) {
        this.#waiting.push({ task, weight });
        return;
      }
      this.#watch();
    }
    this.#done += weight;
    task();
  }

  #isHalf(): boolean {
    return this.#done >= this.#halfMost || this.#now() - this.#sinceMs >= this.#halfMs;
  }

  #watch(): void {
    this.#watched = true;
    this.#done = 0;
    this.#sinceMs = this.#now();
    this.#nextTurn(this.#turn);
  }

  readonly #turn = (): void => {
    this.#watched = false;
    this.#done = 0;
    if (this.waiting === 0) return;
    // Before the tasks: one that throws must not keep the others from being done.
    this.#watch();
    while (this.waiting > 0 && !this.#isHalf()) {
      const next = this.#waiting[this.#next];
      this.#next++;
      if (this.waiting === 0) {
        this.#waiting = [];
        this.#next = 0;
      }
      if (next === undefined) return;
      this.#done += next.weight;
      next.task();
    }
  };
}
