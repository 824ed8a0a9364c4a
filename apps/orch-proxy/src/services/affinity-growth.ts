import type { Clock } from "@orchernetes/kernel";
import type { ServiceRules } from "@orchernetes/proxy";

/** The pause before services get back a part of the session affinity that they have lost, in milliseconds. */
const PAUSE_MS = 5 * 60_000;

/** The longest pause, in milliseconds: each time that it was too early, it doubles. */
const MAX_PAUSE_MS = 6 * 3_600_000;

/**
 * Gives services session affinity back that they have lost because a load took too long: the reason may have been that the machine was
 * busy, or services that are gone by now. It does so in steps, because the next load takes too long if the reason is still there.
 */
export class AffinityGrowth {
  readonly #clock: Clock;
  #pauseMs = PAUSE_MS;
  /** When the next step is due, in milliseconds of the monotonic clock; undefined if no service has lost anything. */
  #dueMs: number | undefined;
  #hasGrown = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Services have lost affinity. */
  reduced(): void {
    if (this.#hasGrown) this.#pauseMs = Math.min(MAX_PAUSE_MS, 2 * this.#pauseMs);
    this.#hasGrown = false;
    this.#dueMs = this.#clock.monotonicMs() + this.#pauseMs;
  }

  /**
   * The rules have been loaded in time.
   *
   * @returns whether services have more affinity with the next change
   */
  loaded(rules: Pick<ServiceRules, "growAffinity">): boolean {
    const nowMs = this.#clock.monotonicMs();
    if (this.#dueMs === undefined || nowMs < this.#dueMs) return false;
    this.#hasGrown = rules.growAffinity();
    if (!this.#hasGrown) this.#pauseMs = PAUSE_MS;
    this.#dueMs = this.#hasGrown ? nowMs + this.#pauseMs : undefined;
    return this.#hasGrown;
  }
}
