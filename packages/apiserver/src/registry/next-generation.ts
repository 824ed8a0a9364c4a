/**
 * The generation after this one. Clients of kinds that do not count may have stored any number: the greatest one that JSON readers
 * keep exactly stays what it is.
 */
export function nextGeneration(generation: number | undefined): number {
  return Math.min((generation ?? 0) + 1, Number.MAX_SAFE_INTEGER);
}
