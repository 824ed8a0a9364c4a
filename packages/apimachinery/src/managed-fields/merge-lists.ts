/**
 * Merges two lists of identified items: the applied items in their order, and each item that only the live list has
 * at its former place among its neighbours. The cost is linear.
 *
 * @param live elements that identify the items of the live list, in order
 * @param applied those of the applied list
 * @param take creates the item of an element from its item in the live list, in the applied one, or both
 */
export function mergeLists<T>(
  live: readonly string[],
  applied: readonly string[],
  take: (element: string, liveIndex: number | undefined, appliedIndex: number | undefined) => T,
): T[] {
  const liveIndex = firstIndexes(live);
  const appliedIndex = firstIndexes(applied);
  const out: T[] = [];
  /** Applied items before this index have been taken. */
  let next = 0;
  let shared = 0;
  const takeUpTo = (end: number): void => {
    for (; next < end; next++) {
      const element = applied[next] as string;
      if (appliedIndex.get(element) === next) out.push(take(element, liveIndex.get(element), next));
    }
  };
  /** Index of the next applied item that the live list contains, too. */
  const nextShared = (): number => {
    // Never visits an item twice, however often it is called.
    shared = Math.max(shared, next);
    while (shared < applied.length && !liveIndex.has(applied[shared] as string)) shared++;
    return shared;
  };
  for (let i = 0; i < live.length; i++) {
    const element = live[i] as string;
    const target = appliedIndex.get(element);
    if (target === undefined) out.push(take(element, i, undefined));
    // Shared items that come later in the applied order are skipped at their former place.
    else if (target === nextShared()) takeUpTo(target + 1);
  }
  takeUpTo(applied.length);
  return out;
}

/** The first index of each element. */
function firstIndexes(elements: readonly string[]): ReadonlyMap<string, number> {
  const out = new Map<string, number>();
  elements.forEach((element, i) => {
    if (!out.has(element)) out.set(element, i);
  });
  return out;
}
