import type { EventLoop } from "./event-loop.ts";

/** What one turn may be used for one kind of work: the limit that is reached first ends it. */
export interface TurnBudget {
  /** Milliseconds of work. @default no limit */
  readonly forMs?: number;
  /** Sum of the weights of tasks; for tasks that cause more work later than they do themselves. @default no limit */
  readonly weight?: number;
}

/** The budget of work that has no reason for another: short enough that a request behind it is not noticed to wait. */
export const defaultTurnBudget: TurnBudget = Object.freeze({ forMs: 10 });

/** What has been spent of a {@link TurnBudget}. */
export class Spending {
  readonly #loop: Pick<EventLoop, "nowMs">;
  readonly #forMs: number;
  readonly #weight: number;
  #spent = 0;
  #sinceMs = 0;

  constructor(
    loop: Pick<EventLoop, "nowMs">,
    { forMs = Number.POSITIVE_INFINITY, weight = Number.POSITIVE_INFINITY }: TurnBudget,
  ) {
    this.#loop = loop;
    this.#forMs = forMs;
    this.#weight = weight;
  }

  /** Starts to count. */
  begin(): void {
    this.#spent = 0;
    this.#sinceMs = this.#loop.nowMs();
  }

  add(weight: number): void {
    this.#spent += weight;
  }

  /** Whether nothing was added since {@link begin}. */
  get isNothing(): boolean {
    return this.#spent === 0;
  }

  /** Whether the budget is used up. */
  get isAll(): boolean {
    return this.#spent >= this.#weight || this.#loop.nowMs() - this.#sinceMs >= this.#forMs;
  }
}
