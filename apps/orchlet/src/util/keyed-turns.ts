/** Runs the jobs of one key one after the other, in order of arrival; jobs of different keys run side by side. */
export class KeyedTurns {
  readonly #last = new Map<string, Promise<void>>();

  /** Number of keys that have jobs. */
  get size(): number {
    return this.#last.size;
  }

  /** Runs a job when those before it have ended. Rejects as the job does; later jobs run all the same. */
  run(key: string, job: () => Promise<void>): Promise<void> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const turn = before.catch(() => undefined).then(job);
    this.#last.set(key, turn);
    const forget = () => {
      if (this.#last.get(key) === turn) this.#last.delete(key);
    };
    turn.then(forget, forget);
    return turn;
  }
}
