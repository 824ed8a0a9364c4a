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

  /** Ends all watches, and every one that starts later. */
  stopAll(): void {
    this.#stopped = true;
    for (const stop of [...this.#stops]) stop();
  }
}
