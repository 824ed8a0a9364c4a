import { ApiError, type Clock } from "@orchernetes/apimachinery";
import { TransportError } from "@orchernetes/client";

/** Keeps what pods have read from the API server, so that their containers start again while it is away. */
export interface LastKnown {
  /**
   * What `ask` answers; what it answered last under the key when the server does not answer, or not soon.
   *
   * @param podUid whose reading it is: what no pod has read is not kept
   * @throws what `ask` throws, when the server refused or nothing was read before
   */
  read<T>(podUid: string, key: string, ask: () => Promise<T>): Promise<T>;
  /** Forgets what only this pod has read. */
  forget(podUid: string): void;
}

interface Entry {
  value: unknown;
  readonly users: Set<string>;
}

/** A pod whose volumes are looked at again must not wait longer for what it has already. */
const answerMs = 5000;
/** For so long after a question without an answer nobody waits for another. */
const awayMs = 10_000;
const late = Symbol("late");

export function createLastKnown(clock: Clock): LastKnown {
  const known = new Map<string, Entry>();
  let awayUntilMs = Number.NEGATIVE_INFINITY;

  const askAndKeep = async <T>(podUid: string, key: string, ask: () => Promise<T>): Promise<T> => {
    try {
      const value = await ask();
      const entry = known.get(key) ?? { value, users: new Set<string>() };
      entry.value = value;
      entry.users.add(podUid);
      known.set(key, entry);
      return value;
    } catch (error) {
      // What is refused or gone now must not be used later.
      if (isNoAnswer(error)) awayUntilMs = clock.monotonicMs() + awayMs;
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
      if (clock.monotonicMs() < awayUntilMs) return before;
      try {
        const answer = await withinMs(askAndKeep(podUid, key, ask), answerMs, clock);
        if (answer !== late) return answer;
        awayUntilMs = clock.monotonicMs() + awayMs;
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

/** Whether the server could not be reached, or could not answer, which says nothing about the object. */
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
    // It goes on when it is late, and nobody waits for it any more.
    answer.catch(() => undefined);
  }
}
