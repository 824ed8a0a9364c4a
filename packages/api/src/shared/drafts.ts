import type { ApiObject, Draft } from "@orchernetes/apimachinery";

/**
 * Uses a part of a stored object in a draft, for example the old status in an update. The part stays shared with the
 * stored object, which is in the cache: the receiver must not change it in place.
 */
export function share<T>(part: T): Draft<T> {
  return part as Draft<T>;
}

/**
 * Restores a field of the stored object in a draft, so that an endpoint that does not own the field cannot change it.
 * The value is copied, so later steps may change the draft in place.
 */
export function keep<T extends ApiObject, K extends keyof T>(draft: Draft<T>, old: T, key: K): void {
  const target = draft as Record<PropertyKey, unknown>;
  const value = old[key];
  if (value === undefined) {
    delete target[key];
  } else {
    target[key] = structuredClone(value);
  }
}

/** Restores the stored labels, annotations, finalizers and owners, for status endpoints that must not change them. */
export function keepMetadata<T extends ApiObject>(draft: Draft<T>, old: T): void {
  const target = draft.metadata as Record<string, unknown>;
  const source = old.metadata as Readonly<Record<string, unknown>>;
  for (const key of ["labels", "annotations", "finalizers", "ownerReferences"]) {
    if (source[key] === undefined) {
      delete target[key];
    } else {
      target[key] = structuredClone(source[key]);
    }
  }
}

/** Restores the stored labels. */
export function keepLabels<T extends ApiObject>(draft: Draft<T>, old: T): void {
  if (old.metadata.labels === undefined) {
    delete draft.metadata.labels;
  } else {
    draft.metadata.labels = { ...old.metadata.labels };
  }
}
