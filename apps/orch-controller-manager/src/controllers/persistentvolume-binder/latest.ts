import { type ApiObject, keyOf, type Stored } from "@orchernetes/apimachinery";
import type { Informer } from "@orchernetes/client";

/**
 * An informer's cache combined with this process's own writes: reads see each own write at once, so that no decision is
 * made twice while the watch lags.
 */
export interface Latest<T extends ApiObject> {
  byKey(key: string): Stored<T> | undefined;
  /** The newer of a cached object and our own write of it. */
  of(cached: Stored<T>): Stored<T>;
  /** Records the result of a write. */
  written(object: Stored<T>): void;
}

/** Creates the combined cache. Must be called before the informer starts. */
export function latestOf<T extends ApiObject>(informer: Informer<T>): Latest<T> {
  const own = new Map<string, Stored<T>>();
  informer.addHandler({
    onUpdate(_, object) {
      const key = keyOf(object);
      const written = own.get(key);
      if (written !== undefined && !isNewer(written, object)) own.delete(key);
    },
    onDelete: (object) => void own.delete(keyOf(object)),
  });
  const of = (cached: Stored<T>): Stored<T> => {
    const written = own.get(keyOf(cached));
    return written !== undefined && isNewer(written, cached) ? written : cached;
  };
  return {
    of,
    byKey(key) {
      const cached = informer.lister.byKey(key);
      return cached === undefined ? undefined : of(cached);
    },
    written(object) {
      // An object that is not in the cache was deleted, or will be added by the watch.
      const cached = informer.lister.byKey(keyOf(object));
      if (cached !== undefined && isNewer(object, cached)) own.set(keyOf(object), object);
    },
  };
}

/** Whether `a` is a later version of `b`. Objects with different uids are not comparable. */
function isNewer(a: ApiObject, b: ApiObject): boolean {
  if (a.metadata.uid !== b.metadata.uid) return false;
  return Number(a.metadata.resourceVersion) > Number(b.metadata.resourceVersion);
}
