import { type ApiObject, controllerOf, type Selector, type Stored } from "@orchernetes/apimachinery";

/** The result of comparing an owner's selector with the objects that it may own. */
export interface Claims<T extends ApiObject> {
  /** Objects that are owned and selected. */
  readonly owned: readonly Stored<T>[];
  /** Objects that are selected and have no controller: to be adopted. */
  readonly adopt: readonly Stored<T>[];
  /** Objects that are owned and no longer selected: to be released. */
  readonly release: readonly Stored<T>[];
}

/**
 * Sorts candidates by ownership. A controller that is being deleted neither adopts nor releases; objects that are being
 * deleted are not adopted.
 */
export function planClaims<T extends ApiObject>(
  owner: Stored<ApiObject>,
  selector: Selector,
  candidates: Iterable<Stored<T>>,
): Claims<T> {
  const owned: Stored<T>[] = [];
  const adopt: Stored<T>[] = [];
  const release: Stored<T>[] = [];
  const ownerLeaves = owner.metadata.deletionTimestamp !== undefined;
  for (const candidate of candidates) {
    const { labels, deletionTimestamp, namespace } = candidate.metadata;
    const ref = controllerOf(candidate);
    if (ref !== undefined) {
      if (ref.uid !== owner.metadata.uid) continue;
      if (selector.matches(labels)) owned.push(candidate);
      else if (!ownerLeaves) release.push(candidate);
      continue;
    }
    if (ownerLeaves || deletionTimestamp !== undefined) continue;
    if (owner.metadata.namespace && owner.metadata.namespace !== namespace) continue;
    if (selector.matches(labels)) adopt.push(candidate);
  }
  return { owned, adopt, release };
}
