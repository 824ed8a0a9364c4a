/** Lets work about the same key run one after the other, and work about different keys side by side. */
export class KeyLock {
  readonly #last = new Map<string, Promise<void>>();

  /** Runs the work once all earlier work about the key has ended; resolves or rejects with it. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const mine = Promise.withResolvers<void>();
    this.#last.set(key, mine.promise);
    try {
      await before;
      return await work();
    } finally {
      if (this.#last.get(key) === mine.promise) this.#last.delete(key);
      mine.resolve();
    }
  }
}
