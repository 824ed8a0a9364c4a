import { ApiError } from "@orchernetes/apimachinery";
import { TransportError } from "@orchernetes/client";
import type { Clock } from "@orchernetes/kernel";

/** Caches what pods have read from the API server, so that their containers can restart while it is unavailable. */
export interface LastKnown {
  /**
   * Returns the result of `ask`, or its last result for the key if the server is unavailable or slow.
   *
   * @param podUid the pod that reads it; entries are kept only as long as a pod uses them
   * @throws the error of `ask`, if the server rejected the request or nothing is cached
   */
  read<T>(podUid: string, key: string, ask: () => Promise<T>): Promise<T>;
  /** Drops entries that only this pod has read. */
  forget(podUid: string): void;
}

interface Entry {
  value: unknown;
  /** Uids of the pods that have read the object. */
  readonly users: Set<string>;
}

/** Maximum wait for an object that is cached, so that a resync of volumes is not delayed; in milliseconds. */
const maxWaitMs = 5000;
/** Time after an unanswered request in which cached values are used without waiting; in milliseconds. */
const unavailableMs = 10_000;
const late = Symbol("late");

/** Creates an empty cache. */
export function createLastKnown(clock: Clock): LastKnown {
  const known = new Map<string, Entry>();
  let unavailableUntilMs = Number.NEGATIVE_INFINITY;

  const askAndKeep = async <T>(podUid: string, key: string, ask: () => Promise<T>): Promise<T> => {
    try {
      const value = await ask();
      const entry = known.get(key) ?? { value, users: new Set<string>() };
      entry.value = value;
      entry.users.add(podUid);
      known.set(key, entry);
      return value;
    } catch (error) {
      // Objects that are now forbidden or deleted must not be used later.
      if (isNoAnswer(error)) unavailableUntilMs = clock.monotonicMs() + unavailableMs;
      else known.delete(key);
      throw error;
    }
  };

  return {
    async read<T>(podUid: string, key: string, ask: () => Promise<T>): Promise<T> {
      const entry = known.get(key);
      if (entry === undefined) return askAndKeep(podUid, key, ask);
      entry.users.add(podUid);
      const before = entry.value as T;
      if (clock.monotonicMs() < unavailableUntilMs) return before;
      try {
        const answer = await withinMs(askAndKeep(podUid, key, ask), maxWaitMs, clock);
        if (answer !== late) return answer;
        unavailableUntilMs = clock.monotonicMs() + unavailableMs;
      } catch (error) {
        if (!isNoAnswer(error)) throw error;
      }
      return before;
    },
    forget(podUid) {
      for (const [key, { users }] of known) if (users.delete(podUid) && users.size === 0) known.delete(key);
    },
  };
}

/** Whether the server was unreachable or failed, so that the error says nothing about the object. */
export function isNoAnswer(error: unknown): boolean {
  if (error instanceof ApiError) return error.code >= 500 || error.code === 429;
  return error instanceof TransportError;
}

async function withinMs<T>(answer: Promise<T>, ms: number, clock: Clock): Promise<T | typeof late> {
  const limit = Promise.withResolvers<typeof late>();
  const timer = clock.setTimeout(() => limit.resolve(late), ms);
  try {
    return await Promise.race([answer, limit.promise]);
  } finally {
    timer.clear();
    // A late request continues in the background.
    answer.catch(() => undefined);
  }
}
