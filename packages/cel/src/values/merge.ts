import { type Identity, identifyBy } from "./list-order.ts";
import { Failure, type ListValue, listValue, type Outcome, type Value } from "./value.ts";
import { itemWork, type Work } from "./work.ts";

/**
 * Adds the items of one set or map list to another: those that are there already keep their place and take the new value. So
 * Kubernetes defines `+` for these list types.
 */
export class Merge implements Work<Outcome> {
  readonly #first: ListValue;
  readonly #second: ListValue;
  readonly #identify: ReturnType<typeof identifyBy>;
  /** Where an item is in the result. */
  readonly #places = new Map<Identity, number>();
  readonly #items: Value[] = [];
  #next = 0;

  constructor(first: ListValue, second: ListValue) {
    this.#first = first;
    this.#second = second;
    this.#identify = identifyBy(first.order);
  }

  get done(): number {
    return this.#next * itemWork;
  }

  advance(amount: number): Outcome | undefined {
    const { size } = this.#first;
    const end = Math.min(size + this.#second.size, this.#next + Math.ceil(amount / itemWork));
    for (; this.#next < end; this.#next++) {
      const isNew = this.#next >= size;
      const item = isNew ? this.#second.at(this.#next - size) : this.#first.at(this.#next);
      if (item instanceof Failure) return item;
      this.#add(item, isNew);
    }
    return this.#next < size + this.#second.size ? undefined : listValue(this.#items, this.#first.order);
  }

  #add(item: Value, isNew: boolean): void {
    const identity = this.#identify(item);
    if (identity === undefined) {
      if (!isNew) this.#items.push(item);
      return;
    }
    const place = this.#places.get(identity);
    if (isNew && place !== undefined) {
      this.#items[place] = item;
      return;
    }
    this.#places.set(identity, this.#items.length);
    this.#items.push(item);
  }
}
