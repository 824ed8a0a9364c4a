interface Entry<T> {
  readonly size: number;
  readonly item: T;
}

interface Line<T> {
  readonly entries: Entry<T>[];
  size: number;
}

/** Items that wait, in a line for each user; users have their turns one after the other. */
export class FairQueue<T> {
  readonly #limits: { readonly most: number; readonly mostPerUser: number };
  /** In the order of their turns. */
  readonly #lines = new Map<string, Line<T>>();
  #size = 0;
  #served: string | undefined;

  /** @param limits sums of sizes that may wait: of all, and of one user */
  constructor(limits: { readonly most: number; readonly mostPerUser: number }) {
    this.#limits = limits;
  }

  /** Puts an item at the end of its user's line; false when there is no room for it. */
  add(user: string, size: number, item: T): boolean {
    const line = this.#lines.get(user) ?? { entries: [], size: 0 };
    if (this.#size + size > this.#limits.most || line.size + size > this.#limits.mostPerUser) return false;
    line.entries.push({ size, item });
    line.size += size;
    this.#size += size;
    this.#lines.set(user, line);
    return true;
  }

  /** The first item of the user whose turn it is, no user's twice in a row while others wait; undefined when nothing waits. */
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
    // Behind all others: the next turns are theirs.
    if (line.entries.length > 0) this.#lines.set(user, line);
    return entry.item;
  }
}
