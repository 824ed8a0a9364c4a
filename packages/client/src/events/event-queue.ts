/** The limits of an {@link EventQueue}, and how it writes. */
export interface EventQueueOptions<T> {
  /** Maximum number of concurrent writes. */
  readonly parallel: number;
  /** Maximum number of queued events; further ones are rejected. */
  readonly size: number;
  /** Merges two writes of the same stored event into one; the result takes the place of the first. */
  readonly merge: (before: T, after: T) => T;
  /** Never rejects. */
  readonly write: (item: T) => Promise<void>;
}

/**
 * Writes events concurrently, except that writes of one stored event run one after the other and in order: a count must not be
 * raised before its event exists. Queued writes of the same stored event are merged into one.
 */
export class EventQueue<T> {
  /** By the name of the stored event, in the order of arrival. */
  readonly #waiting = new Map<string, T>();
  readonly #busy = new Set<string>();
  readonly #options: EventQueueOptions<T>;
  #idle: PromiseWithResolvers<void> | undefined;

  constructor(options: EventQueueOptions<T>) {
    this.#options = options;
  }

  /** Queues a write; false if the queue is full. */
  push(name: string, item: T): boolean {
    const before = this.#waiting.get(name);
    if (before !== undefined) this.#waiting.set(name, this.#options.merge(before, item));
    else if (this.#waiting.size >= this.#options.size) return false;
    else this.#waiting.set(name, item);
    this.#start();
    return true;
  }

  /** Resolves when no write is queued or in flight. */
  flush(): Promise<void> {
    if (this.#waiting.size === 0 && this.#busy.size === 0) return Promise.resolve();
    this.#idle ??= Promise.withResolvers();
    return this.#idle.promise;
  }

  /** Drops all queued writes. Those in flight continue. */
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

  /** The first queued write whose event has no write in flight; skips at most as many as are in flight. */
  #next(): [string, T] | undefined {
    for (const entry of this.#waiting) if (!this.#busy.has(entry[0])) return entry;
    return undefined;
  }
}
