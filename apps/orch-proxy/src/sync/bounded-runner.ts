import type { Clock, Timer } from "@orchernetes/kernel";

/** The options of {@link BoundedRunner}. */
export interface BoundedRunnerOptions {
  readonly clock: Clock;
  /** The shortest interval between two runs, in milliseconds; two may follow each other at once after a pause. */
  readonly minIntervalMs: number;
  /** The longest interval between the end of a run and the next one, in milliseconds. */
  readonly maxIntervalMs: number;
  /** The delay of the first retry, in milliseconds; it doubles with every failure, up to `maxIntervalMs`. @default 1000 */
  readonly retryMs?: number;
}

/** Number of runs that may follow each other at once after a pause, as in the original. */
const BURST = 2;

/**
 * Runs a function when it is requested, but not more often than the shortest interval allows, and without a request when the longest
 * interval has passed. Requests during a run and during the interval after it cause one further run. There are never two runs at a time.
 */
export class BoundedRunner {
  readonly #options: BoundedRunnerOptions;
  readonly #work: () => Promise<void>;
  readonly #onError: (error: unknown, retryMs: number) => void;
  #timer: Timer | undefined;
  /** When the timer fires, in milliseconds of the monotonic clock. */
  #dueMs = Number.POSITIVE_INFINITY;
  /** Runs that are allowed now; fractions grow with time. */
  #tokens = BURST;
  #tokensAtMs: number;
  #isRunning = false;
  #isRequested = false;
  #failures = 0;
  #idle = Promise.withResolvers<void>();
  #isStopped = false;

  /**
   * Nothing runs before the first {@link request}.
   * @param work one run; a rejection is retried
   * @param onError reports a rejection, with the milliseconds until the retry
   */
  constructor(
    options: BoundedRunnerOptions,
    work: () => Promise<void>,
    onError: (error: unknown, retryMs: number) => void,
  ) {
    this.#options = options;
    this.#work = work;
    this.#onError = onError;
    this.#tokensAtMs = options.clock.monotonicMs();
    this.#idle.resolve();
  }

  /** Asks for a run as soon as the intervals allow one. */
  request(): void {
    if (this.#isStopped) return;
    if (this.#isRunning) this.#isRequested = true;
    else this.#runIn(this.#waitMs());
  }

  /** Stops; resolves when the current run has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.clear();
    await this.#idle.promise;
  }

  /** Schedules a run, unless one is due earlier. */
  #runIn(ms: number): void {
    const dueMs = this.#options.clock.monotonicMs() + ms;
    if (dueMs >= this.#dueMs) return;
    this.#timer?.clear();
    this.#dueMs = dueMs;
    this.#timer = this.#options.clock.setTimeout(() => void this.#run(), ms);
  }

  /** Milliseconds until a token is available. */
  #waitMs(): number {
    const { clock, minIntervalMs } = this.#options;
    if (minIntervalMs === 0) return 0;
    const now = clock.monotonicMs();
    this.#tokens = Math.min(BURST, this.#tokens + (now - this.#tokensAtMs) / minIntervalMs);
    this.#tokensAtMs = now;
    return this.#tokens >= 1 ? 0 : Math.ceil((1 - this.#tokens) * minIntervalMs);
  }

  async #run(): Promise<void> {
    const { maxIntervalMs, retryMs = 1000 } = this.#options;
    this.#dueMs = Number.POSITIVE_INFINITY;
    this.#waitMs();
    this.#tokens = Math.max(0, this.#tokens - 1);
    this.#isRunning = true;
    this.#isRequested = false;
    this.#idle = Promise.withResolvers();
    let nextMs = maxIntervalMs;
    try {
      await this.#work();
      this.#failures = 0;
    } catch (error) {
      nextMs = Math.min(maxIntervalMs, retryMs * 2 ** this.#failures);
      this.#failures++;
      this.#onError(error, nextMs);
    }
    this.#isRunning = false;
    this.#idle.resolve();
    if (this.#isStopped) return;
    // After a failure further requests wait for the retry: they would fail for the same reason.
    this.#runIn(this.#isRequested && this.#failures === 0 ? Math.min(nextMs, this.#waitMs()) : nextMs);
  }
}
