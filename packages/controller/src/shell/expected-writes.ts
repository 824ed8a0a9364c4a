import type { ApiObject, Stored } from "@orchernetes/apimachinery";
import { TransportError } from "@orchernetes/client";
import type { Expectations } from "./expectations.ts";
import { slowStartBatch } from "./slow-start.ts";

/**
 * Makes `count` calls that each create a dependent of `key`, few at first (see {@link slowStartBatch}), and expects the created
 * objects in the caches. An object whose creation failed is not expected, but if the connection broke before the response, the owner is
 * left alone until it is known what was created. A timeout that the server reports is a failure, although the object may have been
 * created: a surplus object is deleted later.
 *
 * @param skipped called with the number of calls that were not made after a failure, if there are any
 * @throws the error of the first call that failed, once all calls in flight have ended
 */
export async function createExpected(
  expectations: Expectations,
  key: string,
  count: number,
  create: (index: number) => Promise<unknown>,
  skipped?: (count: number) => void,
): Promise<void> {
  expectations.expectCreations(key, count);
  const result = await slowStartBatch(count, async (index) => {
    try {
      await create(index);
    } catch (error) {
      if (error instanceof TransportError && error.sent) expectations.outcomeUnknown(key);
      expectations.creationObserved(key);
      throw error;
    }
  });
  if (result.skipped > 0) {
    skipped?.(result.skipped);
    expectations.creationObserved(key, result.skipped);
  }
  if (result.error !== undefined) throw result.error;
}

/**
 * Deletes dependents of `key`, all at once, and expects their deletion in the caches.
 *
 * @param remove resolves with false for an object that did not exist any more
 * @throws the error of the first call that failed, once all have ended
 */
export async function deleteExpected<T extends ApiObject>(
  expectations: Expectations,
  key: string,
  doomed: readonly Stored<T>[],
  remove: (object: Stored<T>) => Promise<boolean>,
): Promise<void> {
  expectations.expectDeletions(
    key,
    doomed.map(({ metadata }) => metadata.uid),
  );
  await allSettled(
    doomed.map(async (object) => {
      const { uid } = object.metadata;
      try {
        // The deletion may have been observed before it was expected, and no further event will report it.
        if (!(await remove(object))) expectations.deletionObserved(key, uid);
      } catch (error) {
        expectations.deletionObserved(key, uid);
        throw error;
      }
    }),
  );
}

/** Waits for all promises. @throws the reason of the first one that rejected */
export async function allSettled(work: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(work)).find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}
