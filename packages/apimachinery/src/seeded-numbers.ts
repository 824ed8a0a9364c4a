/**
 * Returns a source of whole numbers in [0, below) that is determined by the seed (a linear congruential generator),
 * so that a failure of a random test can be repeated. Not for secrets.
 */
export function seededNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
