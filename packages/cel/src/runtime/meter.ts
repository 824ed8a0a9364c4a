import { CostError } from "../values/value.ts";

/** Counts what an evaluation costs, and ends it when that is more than it may be. */
export class Meter {
  readonly #limit: number;
  #cost = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get cost(): number {
    return this.#cost;
  }

  /** @throws CostError if the cost is above the limit now */
  charge(units: number): void {
    this.#cost += units;
    if (this.#cost > this.#limit) throw new CostError();
  }
}
