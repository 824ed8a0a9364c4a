import { type ApiObject, keyOf, type Stored } from "@orchernetes/apimachinery";
import type { Lister } from "@orchernetes/client";
import { type Clock, systemClock } from "@orchernetes/kernel";

/** Writes that are not seen for this long (milliseconds) are not awaited any more: an event must have been lost. */
export const AWAIT_MS = 30_000;

interface Awaited {
  readonly uid: string;
  readonly generation: number;
  /** Whether the write was the object's creation: until it is seen, the cache does not contain the object. */
  readonly isNew: boolean;
  readonly atMs: number;
}

/**
 * The generations of dependents that a controller has written and not yet seen in its cache. A decision about several dependents
 * together, such as the sizes of a Deployment's ReplicaSets, must not combine a write with what the cache had before it. For creations
 * and deletions alone, `Expectations` count; here the cache itself is compared, because an update has no event of its own.
 */
export class AwaitedGenerations {
  /** By the owner's key, then by the dependent's. */
  readonly #awaited = new Map<string, Map<string, Awaited>>();
  readonly #clock: Clock;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** Records the server's response to the creation or the update of a dependent. */
  wrote(owner: string, { metadata }: Stored<ApiObject>, write: "create" | "update"): void {
    const { uid, generation = 0 } = metadata;
    const awaited = this.#awaited.get(owner) ?? new Map<string, Awaited>();
    this.#awaited.set(owner, awaited);
    awaited.set(keyOf({ metadata }), {
      ...{ uid, generation },
      isNew: write === "create",
      atMs: this.#clock.monotonicMs(),
    });
  }

  /** Whether the cache contains all that was written for an owner, or newer versions of it. */
  areSeen(owner: string, cache: Lister<ApiObject>): boolean {
    const awaited = this.#awaited.get(owner);
    if (awaited === undefined) return true;
    for (const [key, write] of awaited) if (this.#isSeen(write, cache.byKey(key))) awaited.delete(key);
    if (awaited.size > 0) return false;
    this.#awaited.delete(owner);
    return true;
  }

  /** Drops what is awaited for an owner, when it is deleted. */
  delete(owner: string): void {
    this.#awaited.delete(owner);
  }

  #isSeen({ uid, generation, isNew, atMs }: Awaited, cached: Stored<ApiObject> | undefined): boolean {
    if (this.#clock.monotonicMs() - atMs >= AWAIT_MS) return true;
    // What was updated was in the cache: if it is not any more, it has been deleted since.
    if (cached?.metadata.uid !== uid) return !isNew;
    return (cached.metadata.generation ?? 0) >= generation;
  }
}
