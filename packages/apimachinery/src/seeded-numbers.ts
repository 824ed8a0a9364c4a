/**
 * A source of whole numbers in [0, below) that gives the same ones for the same seed, for tests that try random cases: what
 * fails fails again.
 */
export function seededNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
