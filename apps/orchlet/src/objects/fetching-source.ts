import type { ApiObject, Stored } from "@orchernetes/apimachinery";
import type { Client } from "@orchernetes/client";
import type { Clock } from "@orchernetes/kernel";
import { type ObjectSource, objectKey, readObject, type WantedObject } from "./object-source.ts";

/** Maximum age of a request that others may join, so that a request to a server that hangs is not joined forever. */
const shareMs = 1000;

interface Entry {
  readonly atMs: number;
  readonly value: Promise<ApiObject | undefined>;
  /** Uids of the pods that have read it. */
  readonly users: Set<string>;
}

/**
 * Reads objects from the API server, and reuses what is younger than `reuseMs` (strategies Get and Cache). A pod that needs an object for
 * the first time reads it, as in the original: it must not start with older content than was there when it was created.
 *
 * Concurrent reads share one request.
 *
 * @param reuseMs asked for each read: the time to live comes from an annotation of the node
 */
export function createFetchingSource(client: Client, clock: Clock, reuseMs: () => number): ObjectSource {
  const entries = new Map<string, Entry>();
  const inFlight = new Map<string, { readonly atMs: number; readonly value: Promise<ApiObject | undefined> }>();

  const fetch = <T extends ApiObject>(key: string, wanted: WantedObject<T>): Promise<Stored<T> | undefined> => {
    const atMs = clock.monotonicMs();
    const known = inFlight.get(key);
    if (known !== undefined && atMs - known.atMs < shareMs) return known.value as Promise<Stored<T> | undefined>;
    const value = readObject(client, wanted);
    const request = { atMs, value };
    inFlight.set(key, request);
    const forget = (): void => {
      if (inFlight.get(key) === request) inFlight.delete(key);
    };
    value.then(forget, forget);
    const users = entries.get(key)?.users ?? new Set<string>();
    const entry: Entry = { atMs, value, users };
    entries.set(key, entry);
    value.catch(() => {
      // Its users stay: they do not need the object for the first time when they ask again.
      if (entries.get(key) === entry) entries.set(key, { ...entry, atMs: Number.NEGATIVE_INFINITY });
    });
    return value;
  };

  return {
    async find<T extends ApiObject>(wanted: WantedObject<T>): Promise<Stored<T> | undefined> {
      const key = objectKey(wanted);
      const entry = entries.get(key);
      const isFresh =
        entry?.users.has(wanted.podUid) === true && clock.monotonicMs() - entry.atMs < Math.max(0, reuseMs());
      const answer = isFresh ? entry.value : fetch(key, wanted);
      entries.get(key)?.users.add(wanted.podUid);
      return (await answer) as Stored<T> | undefined;
    },
    forget(podUid) {
      for (const [key, { users }] of entries) if (users.delete(podUid) && users.size === 0) entries.delete(key);
    },
  };
}
