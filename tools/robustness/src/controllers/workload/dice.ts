/** Random choices from one source of numbers. */
export interface Dice {
  /** A whole number of both ends or between. */
  int(from: number, to: number): number;
  pick<const T extends readonly [unknown, ...unknown[]]>(choices: T): T[number];
  /** True in this share of all calls. */
  chance(share: number): boolean;
}

/** @param random returns numbers in [0, 1) */
export function diceOf(random: () => number): Dice {
  return {
    int: (from, to) => from + Math.floor(random() * (to - from + 1)),
    pick: (choices) => choices[Math.floor(random() * choices.length)],
    chance: (share) => random() < share,
  };
}
