/** How much of the smoothed demand a period replaces, unless the demand has grown beyond it. */
const decay = 0.023;

/** Statistics of the seats that a level wanted in a period. */
export interface DemandStatistics {
  readonly mean: number;
  readonly deviation: number;
  readonly highest: number;
  /** Follows growth at once, and decline slowly. */
  readonly smoothed: number;
}

/** The seats that one level wants, sampled at even distances. */
export class SeatDemand {
  #samples = 0;
  #sum = 0;
  #squares = 0;
  #highest = 0;
  #smoothed = 0;

  /** Adds a sample to the present period. */
  add(seats: number): void {
    this.#samples++;
    this.#sum += seats;
    this.#squares += seats * seats;
    this.#highest = Math.max(this.#highest, seats);
  }

  /**
   * Ends the period and begins the next.
   * @param samples taken of all levels in the period; those in which this one did not exist count as 0 seats
   */
  close(samples = this.#samples): DemandStatistics {
    const mean = this.#sum / samples;
    const deviation = Math.sqrt(Math.max(0, this.#squares / samples - mean * mean));
    const envelope = mean + deviation;
    this.#smoothed = Math.max(envelope, (1 - decay) * this.#smoothed + decay * envelope);
    const statistics = { mean, deviation, highest: this.#highest, smoothed: this.#smoothed };
    this.#samples = 0;
    this.#sum = 0;
    this.#squares = 0;
    this.#highest = 0;
    return statistics;
  }
}
