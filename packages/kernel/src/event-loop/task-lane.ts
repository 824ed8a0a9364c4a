import type { EventLoop } from "./event-loop.ts";
import { Spending, type TurnBudget } from "./turn-budget.ts";

interface Task {
  readonly run: () => void;
  readonly weight: number;
}

/**
 * Does tasks at once while they are few, and defers what exceeds the budget of one turn to the next turns. Tasks are done in the
 * order in which they came. What one throws goes to the caller of {@link run}, or is uncaught if the task was deferred.
 */
export class TaskLane {
  readonly #loop: EventLoop;
  /** Of half the budget: the first half may be spent before a turn ends unnoticed, the second after it. */
  readonly #spending: Spending;
  #tasks: Task[] = [];
  /** The next one of `#tasks`. */
  #next = 0;
  /** Whether the end of this turn is being waited for. */
  #watched = false;

  /** @param budget what this lane may use of a turn, whatever others use */
  constructor(loop: EventLoop, { forMs = Number.POSITIVE_INFINITY, weight = Number.POSITIVE_INFINITY }: TurnBudget) {
    this.#loop = loop;
    this.#spending = new Spending(loop, { forMs: forMs / 2, weight: weight / 2 });
  }

  /** How many tasks were deferred and wait. */
  get waiting(): number {
    return this.#tasks.length - this.#next;
  }

  /**
   * Does a task now, or in a later turn.
   * @param weight as how many tasks it counts; one heavier than a turn's budget is done all the same. @default 1
   */
  run(task: () => void, weight = 1): void {
    if (this.waiting > 0) {
      this.#tasks.push({ run: task, weight });
      return;
    }
    // Where turns end is only asked about once half of the budget is spent, perhaps over many turns: seldom.
    if (this.#spending.isNothing) this.#spending.begin();
    else if (this.#spending.isAll) {
      if (this.#watched) {
        this.#tasks.push({ run: task, weight });
        return;
      }
      this.#watch();
    }
    this.#spending.add(weight);
    task();
  }

  #watch(): void {
    this.#watched = true;
    this.#spending.begin();
    this.#loop.defer(this.#turn);
  }

  readonly #turn = (): void => {
    this.#watched = false;
    this.#spending.begin();
    if (this.waiting === 0) return;
    // Before the tasks: one that throws must not keep the others from being done.
    this.#watch();
    while (this.waiting > 0 && !this.#spending.isAll) {
      const next = this.#tasks[this.#next];
      this.#next++;
      if (this.waiting === 0) {
        this.#tasks = [];
        this.#next = 0;
      }
      if (next === undefined) return;
      this.#spending.add(next.weight);
      next.run();
    }
  };
}
