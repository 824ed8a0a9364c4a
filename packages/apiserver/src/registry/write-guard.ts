import type { ApiObject } from "@orchernetes/apimachinery";
import type { Compare } from "@orchernetes/storage";
import type { WriteCondition } from "../interfaces/index.ts";
import type { ObjectStorage, StoredObject, WriteResult } from "./object-storage.ts";
import type { ServedVersion } from "./served-version.ts";

/** How often a write is repeated because the object of its condition has changed, but the condition still holds. */
const MAX_REPETITIONS = 10;

const inNoCommit: readonly Compare[] = [];

/** A {@link WriteCondition} with the version that serves its object. */
export class WriteGuard {
  readonly #condition: WriteCondition;
  readonly #served: ServedVersion;

  constructor(condition: WriteCondition, served: ServedVersion) {
    this.#condition = condition;
    this.#served = served;
  }

  /**
   * Checks the condition, and returns what a commit to `written` must compare so that it still holds then. The cached
   * object is used if the condition holds for it: the commit shows if it is stale.
   *
   * @param newest whether to read the store, because the cached object was stale
   * @throws ApiError that of the condition
   */
  async check(written: ObjectStorage, newest: boolean, signal: AbortSignal): Promise<readonly Compare[]> {
    const { ref, error } = this.#condition;
    const { storage } = this.#served;
    const atomic = written.commitsWith(storage);
    if (atomic && !newest) {
      const cached = storage.cache.isReady() ? storage.peek(ref) : undefined;
      if (cached !== undefined && (await this.#holds(cached)))
        return [{ key: storage.keyOf(ref), modRevision: cached.revision }];
    }
    const stored = await storage.read(ref, signal);
    if (!(await this.#holds(stored))) throw error();
    return atomic ? [{ key: storage.keyOf(ref), modRevision: stored?.revision ?? 0 }] : inNoCommit;
  }

  async #holds(stored: StoredObject | undefined): Promise<boolean> {
    const object: ApiObject | undefined = stored && (await this.#served.view(stored)).object;
    return this.#condition.holds(object);
  }

  /**
   * Makes a commit while the condition holds.
   *
   * @param current what the commit replaces or removes; undefined: it creates
   * @param commit makes it if also the given keys have the given versions
   * @throws ApiError that of the condition; StoreError
   */
  async commit(
    storage: ObjectStorage,
    current: StoredObject | undefined,
    commit: (also: readonly Compare[]) => Promise<WriteResult>,
    signal: AbortSignal,
  ): Promise<WriteResult> {
    for (let repetition = 0; ; repetition++) {
      const result = await commit(await this.check(storage, repetition > 0, signal));
      if (result.type === "written" || repetition === MAX_REPETITIONS) return result;
      // If the object is as it was, the other one has changed. That may mean nothing, such as the renewal of a lease.
      if (result.current?.revision !== current?.revision) return result;
    }
  }
}
