/** Turns of the event loop that a read waits at most for more callers, while they keep coming. */
const MAX_TURNS = 8;

/**
 * Lets concurrent callers share one asynchronous read, while each still gets one that started after its own call: those who
 * come while a read is under way share the next one. A read starts in the first turn of the event loop that brings no more
 * callers, so that under load, when each turn brings some, many share what costs the store as much as it costs one.
 */
export class SharedCall<T> {
  readonly #read: () => Promise<T>;
  #running: Promise<T> | undefined;
  #next: Promise<T> | undefined;
  /** How many share the next one. */
  #callers = 0;

  constructor(read: () => Promise<T>) {
    this.#read = read;
  }

  run(): Promise<T> {
    this.#callers++;
    this.#next ??= this.#after(this.#running);
    return this.#next;
  }

  async #after(running: Promise<T> | undefined): Promise<T> {
    await running?.catch(() => {});
    for (let turn = 0, before = 0; turn < MAX_TURNS && before < this.#callers; turn++) {
      before = this.#callers;
      await new Promise((resolve) => void setImmediate(resolve));
    }
    const started = this.#read();
    this.#running = started;
    this.#next = undefined;
    this.#callers = 0;
    try {
      return await started;
    } finally {
      if (this.#running === started) this.#running = undefined;
    }
  }
}
