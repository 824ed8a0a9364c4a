import type { Draft } from "@orchernetes/apimachinery";

/**
 * Lends a part of a finished object to one that is being shaped, e.g. the old status to an update. The part stays shared:
 * who gets it must not change it in place.
 */
export function share<T>(part: T): Draft<T> {
  return part as Draft<T>;
}
