import type { Clock } from "@orchernetes/kernel";

/** How long ago the runtime's pods were last looked at; at first, how long ago the agent started. */
export class RelistAge {
  readonly #clock: Pick<Clock, "monotonicMs">;
  #lastMs: number;

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
    this.#lastMs = clock.monotonicMs();
  }

  /** A look has worked. */
  record(): void {
    this.#lastMs = this.#clock.monotonicMs();
  }

  /** Milliseconds. */
  agoMs(): number {
    return this.#clock.monotonicMs() - this.#lastMs;
  }
}
