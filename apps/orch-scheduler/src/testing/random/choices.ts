import { RandomNumbers } from "../../random-numbers.ts";

/** Choices that a seed determines. */
export class Choices {
  readonly #random: RandomNumbers;

  constructor(seed: number) {
    this.#random = new RandomNumbers(seed);
    // Neighbouring seeds have related first numbers.
    for (let i = 0; i < 3; i++) this.#random.next();
  }

  /** A whole number in [0, below). */
  below(below: number): number {
    return Math.floor(this.#random.next() * below);
  }

  chance(probability: number): boolean {
    return this.#random.next() < probability;
  }

  pick<const T>(...from: readonly T[]): T {
    return from[this.below(from.length)] as T;
  }

  /** Each with the probability. */
  some<const T>(from: readonly T[], probability = 0.5): T[] {
    return from.filter(() => this.chance(probability));
  }

  many<T>(least: number, most: number, make: (i: number) => T): T[] {
    return Array.from({ length: least + this.below(most - least + 1) }, (_, i) => make(i));
  }

  /** `{ [key]: value }` with the probability, else nothing; to be spread into an object. */
  maybe<T extends object>(probability: number, make: () => T): T | Record<string, never> {
    return this.chance(probability) ? make() : {};
  }
}
