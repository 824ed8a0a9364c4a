import type { Clock, Timer } from "@orchernetes/kernel";

/** The options of a {@link PacedJob}. */
export interface PacedJobOptions {
  /** Minimum time between two runs, in milliseconds. */
  readonly intervalMs: number;
  readonly clock: Pick<Clock, "setTimeout">;
}

/**
 * Runs a job when it is requested, at most once per interval: the first time at once, and once more after the interval if it was requested
 * meanwhile. So no request is lost, and a flood of them costs no more than one per interval.
 */
export class PacedJob {
  readonly #job: () => void;
  readonly #options: PacedJobOptions;
  #timer: Timer | undefined;
  #isDue = false;

  /** @param job never throws */
  constructor(job: () => void, options: PacedJobOptions) {
    this.#job = job;
    this.#options = options;
  }

  request(): void {
    if (this.#timer !== undefined) {
      this.#isDue = true;
      return;
    }
    const { clock, intervalMs } = this.#options;
    this.#timer = clock.setTimeout(() => this.#next(), intervalMs).unref();
    this.#job();
  }

  /** Runs the job now if it is due, and ends the interval. */
  flush(): void {
    this.#timer?.clear();
    this.#timer = undefined;
    if (!this.#isDue) return;
    this.#isDue = false;
    this.#job();
  }

  #next(): void {
    this.#timer = undefined;
    if (!this.#isDue) return;
    this.#isDue = false;
    this.request();
  }
}
