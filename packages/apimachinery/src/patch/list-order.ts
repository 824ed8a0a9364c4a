import { getOwn } from "../codec/json.ts";
import { canonicalText, isObject } from "./json-value.ts";

/**
 * The identity of an item: the value of its merge key, or the item itself in lists of scalars. Items without the key
 * share one identity.
 */
export function identityOf(item: unknown, mergeKey: string): unknown {
  return mergeKey !== "" && isObject(item) ? getOwn(item, mergeKey) : item;
}

/** A key for maps and sets that is equal for equal identities: scalars themselves, other values as text. */
export function identityKey(identity: unknown): unknown {
  return typeof identity === "object" && identity !== null ? `\u0000${canonicalText(identity)}` : identity;
}

/** Finds positions of identities in a list, in time that does not depend on its length. */
export class IdentityIndex {
  readonly #positions = new Map<unknown, number>();

  constructor(items: readonly unknown[], mergeKey: string) {
    for (const [i, item] of items.entries()) {
      const key = identityKey(identityOf(item, mergeKey));
      if (!this.#positions.has(key)) this.#positions.set(key, i);
    }
  }

  /** The first position, or -1. */
  find(identity: unknown): number {
    return this.#positions.get(identityKey(identity)) ?? -1;
  }
}

/** Items sorted by their position in `order`; items that it lacks follow in their order. Stable. */
function sortBy(items: readonly unknown[], order: IdentityIndex, mergeKey: string): unknown[] {
  const place = (item: unknown) => {
    const at = order.find(identityOf(item, mergeKey));
    return at < 0 ? Number.POSITIVE_INFINITY : at;
  };
  return items
    .map((item) => ({ item, at: place(item) }))
    .sort((a, b) => (a.at === b.at ? 0 : a.at - b.at))
    .map(({ item }) => item);
}

/**
 * Orders a merged list: items of the patch are in the patch's order, items that only the server has keep their order
 * among each other, and precede the next patched item that followed them on the server.
 *
 * @param merged all items
 * @param patchOrder items, or placeholders with only the merge key, in the order of the patch
 * @param serverOrder the list before the patch
 */
export function orderMerged(
  merged: readonly unknown[],
  patchOrder: readonly unknown[],
  serverOrder: readonly unknown[],
  mergeKey: string,
): unknown[] {
  const wanted = new IdentityIndex(patchOrder, mergeKey);
  const server = new IdentityIndex(serverOrder, mergeKey);
  const inPatch = (item: unknown) => wanted.find(identityOf(item, mergeKey)) >= 0;
  const left = sortBy(
    merged.filter((item) => !inPatch(item)),
    server,
    mergeKey,
  );
  const right = sortBy(merged.filter(inPatch), wanted, mergeKey);
  const out: unknown[] = [];
  let i = 0;
  let j = 0;
  while (i < left.length && j < right.length) {
    const serverOnly = server.find(identityOf(left[i], mergeKey));
    const patched = server.find(identityOf(right[j], mergeKey));
    const serverFirst = serverOnly >= 0 && patched >= 0 && serverOnly < patched;
    out.push(serverFirst ? left[i++] : right[j++]);
  }
  return [...out, ...left.slice(i), ...right.slice(j)];
}
