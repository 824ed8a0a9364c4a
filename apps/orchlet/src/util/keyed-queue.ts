/** Runs the jobs of each key one after the other, in order of arrival. Jobs of different keys run concurrently. */
export class KeyedQueue {
  readonly #last = new Map<string, Promise<void>>();

  /** Number of keys that have jobs. */
  get size(): number {
    return this.#last.size;
  }

  /** Runs a job after the earlier jobs of its key. Rejects with the job's error, which does not affect later jobs. */
  run(key: string, job: () => Promise<void>): Promise<void> {
    const previous = this.#last.get(key) ?? Promise.resolve();
    const current = previous.catch(() => undefined).then(job);
    this.#last.set(key, current);
    const forget = () => {
      if (this.#last.get(key) === current) this.#last.delete(key);
    };
    current.then(forget, forget);
    return current;
  }
}
