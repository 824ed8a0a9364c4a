import { type ApiObject, keyOf, type Stored } from "@orchernetes/apimachinery";
import type { Informer } from "@orchernetes/client";

/**
 * An informer's cache combined with changes that were decided but not yet observed, so that the next decision takes them
 * into account. An assumption ends when the informer reports another version of the object, or its deletion.
 */
export interface AssumeCache<T extends ApiObject> {
  /** The object as assumed, or else as observed. Key: `namespace/name`, or `name` for cluster-scoped objects. */
  byKey(key: string): Stored<T> | undefined;
  /** The objects under one value of an index of the observed ones, as assumed. */
  byIndex(index: string, value: string): readonly Stored<T>[];
  /** The object as the API server last reported it. */
  observed(key: string): Stored<T> | undefined;
  /** Assumes a change of the object that {@link AssumeCache.byKey} returns now. */
  assume(object: Stored<T>): void;
  /** Ends the assumption about an object, if there is one. */
  restore(key: string): void;
}

/** Creates the combined cache. Must be called before the informer starts. */
export function createAssumeCache<T extends ApiObject>(informer: Informer<T>): AssumeCache<T> {
  const assumed = new Map<string, Stored<T>>();
  const end = (object: Stored<T>): void => void assumed.delete(keyOf(object));
  informer.addHandler({ onUpdate: (_, object) => end(object), onDelete: end });
  const { lister } = informer;
  return {
    byKey: (key) => assumed.get(key) ?? lister.byKey(key),
    byIndex(index, value) {
      const found = lister.byIndex(index, value);
      return assumed.size === 0 ? found : found.map((object) => assumed.get(keyOf(object)) ?? object);
    },
    observed: (key) => lister.byKey(key),
    assume(object) {
      const key = keyOf(object);
      if (lister.byKey(key) !== undefined) assumed.set(key, object);
    },
    restore: (key) => void assumed.delete(key),
  };
}
