/** What a client asked for. Each write carries an id of its own as the object's value. */
export type Request =
  | { readonly type: "get"; readonly key: string }
  | { readonly type: "list" }
  | { readonly type: "create"; readonly key: string; readonly id: string }
  | { readonly type: "update"; readonly key: string; readonly id: string; readonly expected: number }
  | { readonly type: "delete"; readonly key: string; readonly expected: number };

/** One stored version as a client saw it. */
export interface Seen {
  readonly key: string;
  readonly revision: number;
  readonly id: string;
}

/** What came back. */
export type Outcome =
  /** A read or a write that was done; a delete tells no version. */
  | { readonly type: "ok"; readonly seen?: Seen }
  | { readonly type: "listed"; readonly revision: number; readonly items: readonly Seen[] }
  | { readonly type: "notFound" }
  /** Refused: certainly not done. */
  | { readonly type: "refused" }
  /** No answer, or one that leaves open what happened. */
  | { readonly type: "unknown" };

/** A request with the times between which it took effect, if it did. */
export interface Operation {
  readonly client: number;
  readonly request: Request;
  readonly outcome: Outcome;
  readonly startMs: number;
  readonly endMs: number;
}

/** One thing a watch delivered. */
export type WatchRecord =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly seen: Seen }
  | { readonly type: "BOOKMARK"; readonly revision: number };

/** A list and the watch that followed it over any number of connections, each resumed at the last revision seen. */
export interface WatchSession {
  readonly client: number;
  readonly after: number;
  readonly records: readonly WatchRecord[];
}

/** A version of an object as the store itself has it. */
export interface StoredVersion {
  readonly key: string;
  readonly revision: number;
  /** The key was deleted at this revision. */
  readonly deleted: boolean;
}

/** All that the clients of a round recorded. */
export interface History {
  readonly operations: readonly Operation[];
  readonly sessions: readonly WatchSession[];
  /** All versions of the round's objects in order, where the store can be asked past the server. */
  readonly record?: readonly StoredVersion[];
}

/** The newest revision that a response, event or bookmark contained; 0 if none did. */
export function newestRevision({ operations, sessions }: History): number {
  let newest = 0;
  const told = (revision = 0): void => {
    newest = Math.max(newest, revision);
  };
  for (const { outcome } of operations) {
    if (outcome.type === "listed") told(outcome.revision);
    else if (outcome.type === "ok") told(outcome.seen?.revision);
  }
  for (const { after, records } of sessions) {
    told(after);
    for (const record of records) told(record.type === "BOOKMARK" ? record.revision : record.seen.revision);
  }
  return newest;
}
