import type { EventLoop } from "./event-loop.ts";
import { Spending, type TurnBudget } from "./turn-budget.ts";

/** A deferred task: a link of a chain, so that nothing refers to a task once it has run, however many wait behind it. */
interface Task {
  readonly run: () => void;
  readonly weight: number;
  next: Task | undefined;
}

/**
 * Runs tasks immediately while they are few, and defers those that exceed the budget of one turn to later turns. Tasks run in the
 * order of the calls. An error that a task throws goes to the caller of {@link run}; it is an uncaught exception if the task was
 * deferred.
 */
export class TaskLane {
  readonly #loop: EventLoop;
  /** Half of the budget: the first half may be spent before the end of a turn is noticed, the second half after it. */
  readonly #spending: Spending;
  #first: Task | undefined;
  #last: Task | undefined;
  #waiting = 0;
  /** Whether a callback for the end of this turn is registered. */
  #watched = false;

  /** @param budget what this lane may use of a turn, regardless of other lanes */
  constructor(loop: EventLoop, { forMs = Number.POSITIVE_INFINITY, weight = Number.POSITIVE_INFINITY }: TurnBudget) {
    this.#loop = loop;
    this.#spending = new Spending(loop, { forMs: forMs / 2, weight: weight / 2 });
  }

  /** The number of deferred tasks. */
  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Runs a task now, or in a later turn.
   * @param weight the number of tasks that it counts as; a task heavier than the budget of a turn still runs. @default 1
   */
  run(task: () => void, weight = 1): void {
    if (this.#waiting > 0) {
      this.#append(task, weight);
      return;
    }
    // The end of the turn is only observed once half of the budget is spent, perhaps over many turns: observing it costs a callback.
    if (this.#spending.isNothing) this.#spending.begin();
    else if (this.#spending.isAll) {
      if (this.#watched) {
        this.#append(task, weight);
        return;
      }
      this.#watch();
    }
    this.#spending.add(weight);
    task();
  }

  #append(run: () => void, weight: number): void {
    const task: Task = { run, weight, next: undefined };
    if (this.#last === undefined) this.#first = task;
    else this.#last.next = task;
    this.#last = task;
    this.#waiting++;
  }

  #take(): Task | undefined {
    const task = this.#first;
    if (task === undefined) return undefined;
    this.#first = task.next;
    if (task.next === undefined) this.#last = undefined;
    this.#waiting--;
    return task;
  }

  #watch(): void {
    this.#watched = true;
    this.#spending.begin();
    this.#loop.defer(this.#turn);
  }

  readonly #turn = (): void => {
    this.#watched = false;
    this.#spending.begin();
    if (this.#waiting === 0) return;
    // Before the tasks run: a task that throws must not prevent the others from running.
    this.#watch();
    while (!this.#spending.isAll) {
      const task = this.#take();
      if (task === undefined) return;
      this.#spending.add(task.weight);
      task.run();
    }
  };
}
