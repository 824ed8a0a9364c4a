/** The items in a random order, so that clients which use the first address spread over all. `random` is in [0, 1). */
export function shuffled<T>(items: readonly T[], random: () => number): readonly T[] {
  if (items.length < 2) return items;
  const result = [...items];
  for (let last = result.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    const [a, b] = [result[last], result[other]];
    if (a === undefined || b === undefined) continue;
    result[last] = b;
    result[other] = a;
  }
  return result;
}
