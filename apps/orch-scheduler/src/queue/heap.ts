/** An item of a {@link Heap}. It knows its position, so that it can be removed from the middle. */
export interface HeapItem {
  /** Index in the heap, -1 outside. Written by the heap only. */
  heapIndex: number;
}

/**
 * A binary heap; `before` returns whether its first argument comes out first. Every operation except `peek` is
 * logarithmic, including the removal of any item.
 */
export class Heap<T extends HeapItem> {
  readonly #items: T[] = [];
  readonly #before: (a: T, b: T) => boolean;

  constructor(before: (a: T, b: T) => boolean) {
    this.#before = before;
  }

  get size(): number {
    return this.#items.length;
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    this.#items.push(item);
    this.#up(item, this.#items.length - 1);
  }

  pop(): T | undefined {
    const top = this.#items[0];
    if (top !== undefined) this.remove(top);
    return top;
  }

  /** Removes an item; does nothing if it is in no heap. */
  remove(item: T): void {
    const at = item.heapIndex;
    if (at < 0) return;
    item.heapIndex = -1;
    const last = this.#items.pop();
    if (last === undefined || last === item) return;
    this.#up(last, at);
    if (last.heapIndex === at) this.#down(last, at);
  }

  #up(item: T, from: number): void {
    const items = this.#items;
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = items[parent] as T;
      if (!this.#before(item, above)) break;
      this.#put(above, at);
      at = parent;
    }
    this.#put(item, at);
  }

  #down(item: T, from: number): void {
    const items = this.#items;
    let at = from;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && this.#before(items[child + 1] as T, items[child] as T)) child++;
      const below = items[child] as T;
      if (!this.#before(below, item)) break;
      this.#put(below, at);
      at = child;
    }
    this.#put(item, at);
  }

  #put(item: T, at: number): void {
    this.#items[at] = item;
    item.heapIndex = at;
  }
}
