import type { EventLoop } from "./event-loop.ts";

/** How much of one turn one kind of work may use. The limit that is reached first ends the turn. */
export interface TurnBudget {
  /** Milliseconds of work. @default no limit */
  readonly forMs?: number;
  /** Sum of the weights of the tasks; for tasks that cause more work later than they do themselves. @default no limit */
  readonly weight?: number;
}

/** The usual budget, 10 ms: short enough that a request that waits for it is not noticeably slower. */
export const defaultTurnBudget: TurnBudget = Object.freeze({ forMs: 10 });

/** How much of a {@link TurnBudget} has been used. */
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

  /** Starts counting from zero. */
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
