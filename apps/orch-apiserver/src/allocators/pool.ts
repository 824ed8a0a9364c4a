/** Who holds a value: an object's key, as long as that object is stored. */
type Holder = string;

/**
 * Which values of a range are taken. The truth is the stored objects: whoever follows them calls {@link Pool.hold} and
 * {@link Pool.release}. Between choosing a value and storing its object a reservation keeps others from choosing it too; it
 * runs out by itself when the write fails, so nothing leaks.
 */
export class Pool<V extends string | number> {
  readonly #held = new Map<V, Holder>();
  readonly #byHolder = new Map<Holder, readonly V[]>();
  readonly #reserved = new Map<V, { readonly holder: Holder; readonly until: number }>();
  readonly #now: () => number;
  readonly #reservationMs: number;

  constructor(options: { readonly now: () => number; readonly reservationMs?: number }) {
    this.#now = options.now;
    this.#reservationMs = options.reservationMs ?? 30_000;
  }

  /** The object now stored under `holder` has exactly these values. */
  hold(holder: Holder, values: readonly V[]): void {
    for (const value of this.#byHolder.get(holder) ?? [])
      if (!values.includes(value) && this.#held.get(value) === holder) this.#held.delete(value);
    for (const value of values) {
      this.#held.set(value, holder);
      this.#reserved.delete(value);
    }
    if (values.length > 0) this.#byHolder.set(holder, values);
    else this.#byHolder.delete(holder);
  }

  /** The object is gone. */
  release(holder: Holder): void {
    this.hold(holder, []);
  }

  /** Who has the value, by a stored object or a reservation that still runs; undefined if nobody does. */
  holderOf(value: V): Holder | undefined {
    const holder = this.#held.get(value);
    if (holder !== undefined) return holder;
    const reservation = this.#reserved.get(value);
    if (reservation === undefined) return undefined;
    if (reservation.until > this.#now()) return reservation.holder;
    this.#reserved.delete(value);
    return undefined;
  }

  /** Keeps the value for `holder` until its object is stored, or a while. False if another has it. */
  reserve(value: V, holder: Holder): boolean {
    const present = this.holderOf(value);
    if (present !== undefined && present !== holder) return false;
    this.#reserved.set(value, { holder, until: this.#now() + this.#reservationMs });
    return true;
  }

  /** The values that stored objects hold. */
  held(): Iterable<V> {
    return this.#held.keys();
  }

  /** How many values stored objects hold. */
  get size(): number {
    return this.#held.size;
  }
}
