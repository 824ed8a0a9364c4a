import { CostError } from "../values/value.ts";

/** Cost between two pauses of an evaluation in steps: a fraction of a millisecond, so that other requests are answered meanwhile. */
const pauseUnits = 500;

/**
 * Counts the cost of one evaluation, and ends it when it is above the limit.
 *
 * There are two counters. The cost is Kubernetes' one and decides about the limit of the API. The time beyond the cost (`noteSlow`) is
 * this server's own and decides only whether an evaluation still counts as quick, and when it pauses.
 */
export class Meter {
  readonly #limit: number;
  readonly #quickLimit: number;
  readonly #isLimitQuick: boolean;
  #cost = 0;
  #slow = 0;
  #pauseAt = pauseUnits;

  /** @param quickLimit largest sum of both counters for an evaluation without pauses. @default none */
  constructor(limit: number, quickLimit = Number.POSITIVE_INFINITY) {
    this.#limit = Math.min(limit, quickLimit);
    this.#quickLimit = quickLimit;
    this.#isLimitQuick = limit > quickLimit;
  }

  get cost(): number {
    return this.#cost;
  }

  /** The sum of both counters: about the time that the evaluation took. */
  get spent(): number {
    return this.#cost + this.#slow;
  }

  /** Whether an evaluation was ended because it is not quick, so that it can succeed in steps; false: its own limit ended it. */
  get isQuickExceeded(): boolean {
    return this.#isLimitQuick || this.spent > this.#quickLimit;
  }

  /** What may still be charged. */
  get left(): number {
    return this.#limit - this.#cost;
  }

  /** Whether an evaluation in steps should pause now. After a true answer the next one comes only after as much cost again. */
  isPauseDue(): boolean {
    const { spent } = this;
    if (spent < this.#pauseAt) return false;
    this.#pauseAt = spent + pauseUnits;
    return true;
  }

  /** @throws CostError if the cost is above the limit now */
  charge(units: number): void {
    this.#cost += units;
    if (this.#cost > this.#limit) throw new CostError();
  }

  /**
   * Notes that a step takes as long as if it cost so much more.
   *
   * @throws CostError if the evaluation is no quick one any more
   */
  noteSlow(units: number): void {
    this.#slow += units;
    if (this.spent > this.#quickLimit) throw new CostError();
  }
}
