export interface EventQueueOptions<T> {
  /** Writes under way at the same time. */
  readonly parallel: number;
  /** Stored events that may wait to be written; those beyond are refused. */
  readonly size: number;
  /** One write for two of the same stored event. */
  readonly merge: (before: T, after: T) => T;
  /** Never rejects. */
  readonly write: (item: T) => Promise<void>;
}

/**
 * Writes events, several at a time, but those of one stored event in order and one after the other: a count must not be
 * raised before its event exists. Those that wait for the same stored event become one write.
 */
export class EventQueue<T> {
  /** By the name of the stored event, in the order in which they came. */
  readonly #waiting = new Map<string, T>();
  readonly #busy = new Set<string>();
  readonly #options: EventQueueOptions<T>;
  #idle: PromiseWithResolvers<void> | undefined;

  constructor(options: EventQueueOptions<T>) {
    this.#options = options;
  }

  /** Takes the write in; false when too many wait. */
  push(name: string, item: T): boolean {
    const before = this.#waiting.get(name);
    if (before !== undefined) this.#waiting.set(name, this.#options.merge(before, item));
    else if (this.#waiting.size >= this.#options.size) return false;
    else this.#waiting.set(name, item);
    this.#start();
    return true;
  }

  /** Resolves when nothing waits or is under way. */
  flush(): Promise<void> {
    if (this.#waiting.size === 0 && this.#busy.size === 0) return Promise.resolve();
    this.#idle ??= Promise.withResolvers();
    return this.#idle.promise;
  }

  clear(): void {
    this.#waiting.clear();
  }

  #start(): void {
    while (this.#busy.size < this.#options.parallel) {
      const next = this.#next();
      if (next === undefined) break;
      const [name, item] = next;
      this.#waiting.delete(name);
      this.#busy.add(name);
      void this.#options.write(item).finally(() => {
        this.#busy.delete(name);
        this.#start();
      });
    }
    if (this.#waiting.size > 0 || this.#busy.size > 0) return;
    this.#idle?.resolve();
    this.#idle = undefined;
  }

  /** The first that waits for nobody: at most as many are passed over as are under way. */
  #next(): [string, T] | undefined {
    for (const entry of this.#waiting) if (!this.#busy.has(entry[0])) return entry;
    return undefined;
  }
}
