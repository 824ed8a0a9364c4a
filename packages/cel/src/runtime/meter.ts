import { CostError } from "../values/value.ts";

/** Cost between two pauses of an evaluation in steps: a fraction of a millisecond. */
const pauseUnits = 500;

/** Counts what an evaluation costs, and ends it when that is more than it may be. */
export class Meter {
  readonly #limit: number;
  readonly #quickLimit: number;
  readonly #isLimitQuick: boolean;
  #cost = 0;
  #slow = 0;
  #pauseAt = pauseUnits;

  /** @param quickLimit of the cost and of what takes longer than it costs, for an evaluation that is done at once */
  constructor(limit: number, quickLimit = Number.POSITIVE_INFINITY) {
    this.#limit = Math.min(limit, quickLimit);
    this.#quickLimit = quickLimit;
    this.#isLimitQuick = limit > quickLimit;
  }

  get cost(): number {
    return this.#cost;
  }

  /** The cost, and what took longer than it cost. */
  get spent(): number {
    return this.#cost + this.#slow;
  }

  /** Of an evaluation that was ended: whether that is because it is no quick one, not because of its limit. */
  get isQuickExceeded(): boolean {
    return this.#isLimitQuick || this.spent > this.#quickLimit;
  }

  /** What may still be charged. */
  get left(): number {
    return this.#limit - this.#cost;
  }

  /** Whether an evaluation in steps is to pause. It is not asked to again until it has cost more. */
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
