import type { Clock } from "@orchernetes/kernel";

/** The time since the runtime's pods were last listed, or since the agent started. Health checks use it. */
export class RelistAge {
  readonly #clock: Pick<Clock, "monotonicMs">;
  #lastMs: number;

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
    this.#lastMs = clock.monotonicMs();
  }

  /** Records a successful relist. */
  record(): void {
    this.#lastMs = this.#clock.monotonicMs();
  }

  /** Time since the last successful relist, in milliseconds. */
  agoMs(): number {
    return this.#clock.monotonicMs() - this.#lastMs;
  }
}
