/**
 * The items without which the others are accepted, found by halving: a few checks for each that is rejected. Items are
 * taken to be rejected by themselves, not for their company.
 *
 * @param accepts whether these items are accepted together
 */
export async function findRejected<T>(
  items: readonly T[],
  accepts: (items: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  if (items.length === 0 || (await accepts(items))) return [];
  if (items.length === 1) return items;
  const middle = items.length >> 1;
  const first = await findRejected(items.slice(0, middle), accepts);
  return [...first, ...(await findRejected(items.slice(middle), accepts))];
}
