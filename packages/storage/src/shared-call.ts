/**
 * Lets concurrent callers share one asynchronous read, while each still gets one that started after its own call: those who
 * come while a read is under way share the next one.
 */
export class SharedCall<T> {
  readonly #read: () => Promise<T>;
  #running: Promise<T> | undefined;
  #next: Promise<T> | undefined;

  constructor(read: () => Promise<T>) {
    this.#read = read;
  }

  run(): Promise<T> {
    this.#next ??= this.#after(this.#running);
    return this.#next;
  }

  async #after(running: Promise<T> | undefined): Promise<T> {
    // Callers of this turn of the event loop join as well.
    await running?.catch(() => {});
    await Promise.resolve();
    const started = this.#read();
    this.#running = started;
    this.#next = undefined;
    try {
      return await started;
    } finally {
      if (this.#running === started) this.#running = undefined;
    }
  }
}
