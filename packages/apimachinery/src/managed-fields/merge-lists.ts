/**
 * Merges two lists of identified items: the applied items in their order, and each item that only the live list has where it
 * stood among its neighbours.
 *
 * @param elements elements that identify the items of each list, in order
 * @param take makes the item of an element from its item in the live list, in the applied one, or both
 */
export function mergeLists<T>(
  live: readonly string[],
  applied: readonly string[],
  take: (element: string, liveIndex: number | undefined, appliedIndex: number | undefined) => T,
): T[] {
  const liveIndex = firstIndexes(live);
  const appliedIndex = firstIndexes(applied);
  const out: T[] = [];
  const done = new Set<string>();
  let next = 0;
  const takeApplied = (element: string): void => {
    if (done.has(element)) return;
    done.add(element);
    out.push(take(element, liveIndex.get(element), appliedIndex.get(element)));
  };
  for (let i = 0; i < live.length; i++) {
    const element = live[i] as string;
    const target = appliedIndex.get(element);
    if (target === undefined) {
      out.push(take(element, i, undefined));
      continue;
    }
    // An applied item that was moved up comes with those before it, and is passed over where it used to be.
    for (; next <= target; next++) takeApplied(applied[next] as string);
  }
  for (; next < applied.length; next++) takeApplied(applied[next] as string);
  return out;
}

function firstIndexes(elements: readonly string[]): ReadonlyMap<string, number> {
  const out = new Map<string, number>();
  elements.forEach((element, i) => {
    if (!out.has(element)) out.set(element, i);
  });
  return out;
}
