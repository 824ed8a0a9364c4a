/** An item with its size, in the unit of the limits. */
interface Entry<T> {
  readonly size: number;
  readonly item: T;
}

/** The items of one user, in order, and the sum of their sizes. */
interface Line<T> {
  readonly entries: Entry<T>[];
  size: number;
}

/**
 * A queue that serves users in turn: a user with a thousand items delays another user's only item by one. Waiting items
 * are limited for each user and in all, so that one user cannot use up the space of the others.
 */
export class FairQueue<T> {
  readonly #limits: { readonly most: number; readonly mostPerUser: number };
  /** Lines by user, in the order of their turns; users without items have none. */
  readonly #lines = new Map<string, Line<T>>();
  #size = 0;
  #served: string | undefined;

  /** @param limits of the sum of waiting sizes: of all users, and of one */
  constructor(limits: { readonly most: number; readonly mostPerUser: number }) {
    this.#limits = limits;
  }

  /** Adds an item to its user's queue. Returns false if the queue is full. */
  add(user: string, size: number, item: T): boolean {
    const line = this.#lines.get(user) ?? { entries: [], size: 0 };
    if (this.#size + size > this.#limits.most || line.size + size > this.#limits.mostPerUser) return false;
    line.entries.push({ size, item });
    line.size += size;
    this.#size += size;
    this.#lines.set(user, line);
    return true;
  }

  /**
   * Removes and returns the first item of the user whose turn it is; no user has two turns in a row while others wait.
   * Undefined if nothing waits.
   */
  take(): T | undefined {
    const [first, second] = this.#lines.keys();
    const user = first === this.#served && second !== undefined ? second : first;
    const line = user === undefined ? undefined : this.#lines.get(user);
    const entry = line?.entries.shift();
    if (user === undefined || line === undefined || entry === undefined) return undefined;
    this.#served = user;
    line.size -= entry.size;
    this.#size -= entry.size;
    this.#lines.delete(user);
    // The user goes behind all others.
    if (line.entries.length > 0) this.#lines.set(user, line);
    return entry.item;
  }
}
