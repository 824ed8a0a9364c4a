/**
 * Handles events one after the other. Of those that arrive meanwhile the last one is handled next, so that a flood of them costs no
 * memory; events that repeat the one before are dropped.
 */
export class LatestEvent<T> {
  readonly #handle: (event: T) => Promise<void>;
  #next: { readonly event: T } | undefined;
  #last: { readonly event: T } | undefined;
  #running: Promise<void> | undefined;

  /** @param handle never rejects */
  constructor(handle: (event: T) => Promise<void>) {
    this.#handle = handle;
  }

  put(event: T): void {
    this.#next = { event };
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Resolves when the events so far have been handled. */
  async handled(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    for (let next = this.#next; next !== undefined; next = this.#next) {
      this.#next = undefined;
      if (this.#last?.event === next.event) continue;
      this.#last = next;
      await this.#handle(next.event);
    }
  }
}
