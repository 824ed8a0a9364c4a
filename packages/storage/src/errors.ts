import type { Revision } from "./revision.ts";

/**
 * Why a call of a store failed.
 *
 * - `Compacted`: the requested revision is older than the kept history; list again.
 * - `FutureRevision`: the requested revision is later than the latest one.
 * - `Unavailable`: the engine cannot be reached or has been closed; retry later. A write may or may not have happened.
 * - `Timeout`: no response in time. A write may or may not have happened.
 * - `NoSpace`: the engine rejects writes because its disk or quota is full.
 * - `TooLarge`: the key or the request exceeds what the engine accepts.
 * - `Corrupt`: the data on disk is not what this engine wrote.
 */
export type StoreErrorReason =
  | "Compacted"
  | "FutureRevision"
  | "Unavailable"
  | "Timeout"
  | "NoSpace"
  | "TooLarge"
  | "Corrupt";

/** Optional properties of a {@link StoreError}. */
export interface StoreErrorOptions {
  readonly cause?: unknown;
  /** For `Compacted`: the oldest revision that can still be read. */
  readonly compactRevision?: Revision;
}

/** The only error a Store rejects with. The API layer maps `reason` to a Status. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly reason: StoreErrorReason;
  /** For `Compacted`, if the engine reports it: the oldest revision that can still be read. */
  readonly compactRevision: Revision | undefined;

  constructor(reason: StoreErrorReason, message: string, options: StoreErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.reason = reason;
    this.compactRevision = options.compactRevision;
  }
}

/** Whether `error` is a {@link StoreError}, and of that reason if one is given. */
export function isStoreError(error: unknown, reason?: StoreErrorReason): error is StoreError {
  return error instanceof StoreError && (reason === undefined || error.reason === reason);
}

/** The error for a read at `revision` when history starts at `compactRevision`. */
export function compacted(revision: number, compactRevision: Revision | undefined): StoreError {
  const since = compactRevision === undefined ? "" : `; the oldest kept one is ${compactRevision}`;
  const options = compactRevision === undefined ? {} : { compactRevision };
  return new StoreError("Compacted", `revision ${revision} has been compacted${since}`, options);
}

/** The error for a read at `revision` when the store has only reached `current`. */
export function futureRevision(revision: number, current: number | undefined): StoreError {
  const now = current === undefined ? "" : `; the latest is ${current}`;
  return new StoreError("FutureRevision", `revision ${revision} has not happened yet${now}`);
}
