import type { ApiObject, Stored } from "@orchernetes/apimachinery";
import type { Expectations } from "./expectations.ts";
import { slowStartBatch } from "./slow-start.ts";

/**
 * Makes `count` calls that each create a dependent of `key`, few at first (see {@link slowStartBatch}), and expects to see
 * them in the caches. What could not be created is not expected: also after a timeout, although the object may have been
 * created, since a surplus object is deleted later but waiting for one that never comes would stall the owner.
 *
 * @param skipped told how many calls were left out after a failure, if any were
 * @throws what the first failing call threw, once all calls under way have ended
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
 * Deletes dependents of `key`, all at once, and expects to see them go.
 *
 * @param remove resolves with false for an object that was gone already
 * @throws what the first failing call threw, once all have ended
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
        // Its deletion may have been seen before it was expected.
        if (!(await remove(object))) expectations.deletionObserved(key, uid);
      } catch (error) {
        expectations.deletionObserved(key, uid);
        throw error;
      }
    }),
  );
}

/** Waits for all of them. @throws what the first of those that failed threw */
export async function allSettled(work: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(work)).find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}
