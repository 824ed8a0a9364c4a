import type { Clock } from "@orchernetes/kernel";

/** The watches that run on a server, so that a drain can ask them to end. */
export class ActiveWatches {
  readonly #stops = new Set<() => void>();
  #stopped = false;

  /** Registers a way to end one watch; the function returned forgets it. After {@link stopAll} it is called at once. */
  add(stop: () => void): () => void {
    if (this.#stopped) {
      stop();
      return () => {};
    }
    this.#stops.add(stop);
    return () => this.#stops.delete(stop);
  }

  get size(): number {
    return this.#stops.size;
  }

  /**
   * Ends all watches, spread evenly over `spreadMs` so that their clients do not all come back at once, and at once every one
   * that starts later.
   */
  stopAll(clock: Clock, spreadMs = 0): void {
    this.#stopped = true;
    const stops = [...this.#stops];
    for (const [index, stop] of stops.entries()) {
      const delayMs = Math.floor((spreadMs * index) / stops.length);
      if (delayMs === 0) stop();
      else clock.setTimeout(stop, delayMs).unref();
    }
  }
}
