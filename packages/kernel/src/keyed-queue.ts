/** Runs the jobs of each key one after the other, in order of arrival. Jobs of different keys run concurrently. */
export class KeyedQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Number of keys that have jobs. */
  get size(): number {
    return this.#last.size;
  }

  /** Runs a job after the earlier jobs of its key. Resolves or rejects with it; an error does not affect later jobs. */
  run<T>(key: string, job: () => Promise<T>): Promise<T> {
    const previous = this.#last.get(key) ?? Promise.resolve();
    const current = previous.then(job, job);
    this.#last.set(key, current);
    const forget = () => {
      if (this.#last.get(key) === current) this.#last.delete(key);
    };
    current.then(forget, forget);
    return current;
  }
}
