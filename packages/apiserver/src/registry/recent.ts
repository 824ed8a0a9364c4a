/**
 * Caches values for the keys that were used last: at least `capacity` of them, at most twice as many.
 *
 * Two generations take the place of a list in the order of use: a new value goes into the young map, and when that is
 * full it becomes the old one and the previous old one is dropped. A hit in the old map moves the value to the young
 * one. That is cheaper than keeping the exact order, and a pass over many keys drops them together.
 */
export class Recent<K, V> {
  readonly #capacity: number;
  #young = new Map<K, V>();
  #old = new Map<K, V>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** The value of a key, which counts as a use; undefined if it was dropped. */
  get(key: K): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  /** Caches a value; may drop those that were not used for long. */
  set(key: K, value: V): void {
    if (this.#young.size >= this.#capacity) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }
}
