/**
 * Random numbers whose state can be read and set, so that a decision can be repeated. The generator is mulberry32: fast,
 * and good enough to spread pods over equal nodes. Not for secrets.
 */
export class RandomNumbers {
  /** The state: a whole number of 32 bits. Equal states are followed by equal numbers. */
  state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** The next number in [0, 1). Bound to the object, so that it can be passed on as a function. */
  readonly next = (): number => {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };

  /** Runs something that draws numbers, and continues afterwards as if it had drawn none. */
  without<T>(work: () => T): T {
    const { state } = this;
    try {
      return work();
    } finally {
      this.state = state;
    }
  }
}
