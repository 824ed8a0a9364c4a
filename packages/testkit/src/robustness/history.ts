/** The request of a client. Each write has a unique id as the object's value. */
export type Request =
  | { readonly type: "get"; readonly key: string }
  | { readonly type: "list" }
  | { readonly type: "create"; readonly key: string; readonly id: string }
  | { readonly type: "update"; readonly key: string; readonly id: string; readonly expected: number }
  | { readonly type: "delete"; readonly key: string; readonly expected: number };

/** A stored version in a response or an event. */
export interface Seen {
  readonly key: string;
  readonly revision: number;
  readonly id: string;
}

/** The outcome of a request. */
export type Outcome =
  /** A read or write that succeeded; the response to a delete has no version. */
  | { readonly type: "ok"; readonly seen?: Seen }
  | { readonly type: "listed"; readonly revision: number; readonly items: readonly Seen[] }
  | { readonly type: "notFound" }
  /** Rejected, and certainly not executed. */
  | { readonly type: "refused" }
  /** No response, or one that does not say whether the request was executed. The checks allow both. */
  | { readonly type: "unknown" };

/** A request with the times, from a monotonic clock, between which it took effect, if it was executed. */
export interface Operation {
  readonly client: number;
  readonly request: Request;
  readonly outcome: Outcome;
  readonly startMs: number;
  readonly endMs: number;
}

/** An element of a watch. */
export type WatchRecord =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly seen: Seen }
  | { readonly type: "BOOKMARK"; readonly revision: number };

/**
 * A list and the watch that follows it over any number of connections, each of which resumes at the last revision
 * received. `after` is the revision of the list.
 */
export interface WatchSession {
  readonly client: number;
  readonly after: number;
  readonly records: readonly WatchRecord[];
}

/** A version of an object in the store. */
export interface StoredVersion {
  readonly key: string;
  readonly revision: number;
  /** The key was deleted at this revision. */
  readonly deleted: boolean;
}

/** Everything that the clients of a round recorded. */
export interface History {
  readonly operations: readonly Operation[];
  readonly sessions: readonly WatchSession[];
  /** All versions of the round's objects in order, if the store can be read directly. */
  readonly record?: readonly StoredVersion[];
}

/** The newest revision that a response, event or bookmark contained; 0 if none did. */
export function newestRevision({ operations, sessions }: History): number {
  let newest = 0;
  const observe = (revision = 0): void => {
    newest = Math.max(newest, revision);
  };
  for (const { outcome } of operations) {
    if (outcome.type === "listed") observe(outcome.revision);
    else if (outcome.type === "ok") observe(outcome.seen?.revision);
  }
  for (const { after, records } of sessions) {
    observe(after);
    for (const record of records) observe(record.type === "BOOKMARK" ? record.revision : record.seen.revision);
  }
  return newest;
}
