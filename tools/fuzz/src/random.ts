/**
 * Choices that a seed determines (the generator is mulberry32): the same seed gives the same choices on every
 * machine.
 *
 * Not `Math.random`, because a finding has to be reproducible from the seed that the run prints.
 */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number in [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer in [0, below). */
  below(below: number): number {
    return Math.floor(this.next() * below);
  }

  /** True with this probability. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** One of a list that is not empty. */
  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  /**
   * The results of `make`, called a random number of times between `least` and `most`, both included. `make` gets the
   * index.
   */
  many<T>(least: number, most: number, make: (i: number) => T): T[] {
    return Array.from({ length: least + this.below(most - least + 1) }, (_, i) => make(i));
  }

  /**
   * A length from 0 to `most` that is mostly small and sometimes large: every number of digits is equally likely.
   * Bugs need small inputs more often than large ones, and large ones cost time.
   */
  size(most: number): number {
    return Math.floor((most + 1) ** this.next()) - (this.chance(0.3) ? 1 : 0);
  }
}

/**
 * The seed of the case with this number in a run. The same run seed and number give the same case, without generating
 * those before it.
 *
 * Mixed, because neighbouring seeds would give neighbouring first choices.
 */
export function caseSeed(seed: number, index: number): number {
  let mixed = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x27d4eb2f);
  return (mixed ^ (mixed >>> 13)) >>> 0;
}
