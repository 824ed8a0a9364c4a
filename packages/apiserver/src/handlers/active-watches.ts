import type { Clock } from "@orchernetes/kernel";

/** The running watches of a server, so that a drain can end them. */
export class ActiveWatches {
  readonly #stops = new Set<() => void>();
  #stopped = false;

  /**
   * Registers a function that ends one watch. Returns a function that removes it again. After {@link stopAll}, `stop`
   * is called immediately.
   */
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
   * Ends all watches, spread evenly over `spreadMs`, so that their clients do not all list again at the same moment;
   * later ones end as soon as they start.
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
