import type { ObjectReference } from "@orchernetes/client";
import type { ElectionRecord } from "./election-record.ts";

/** A record as it was read, with its raw text, which changes whenever the stored record does. */
export interface ObservedRecord {
  readonly record: ElectionRecord;
  readonly raw: string;
}

/**
 * The object that holds the record of an election. `update` replaces the version that the last `get`, `create` or `update` of this
 * lock returned; it fails with a conflict when another participant has written since then.
 */
export interface ResourceLock {
  /** The name of the lock in logs, such as `orch-system/orch-scheduler`. */
  readonly description: string;
  /** The object for which events about the election are recorded. */
  reference(): ObjectReference;
  /** The record, or undefined when the object does not exist or holds none. */
  get(signal: AbortSignal): Promise<ObservedRecord | undefined>;
  /** Writes a first record. Fails with "already exists" when another participant was faster. */
  create(record: ElectionRecord, signal: AbortSignal): Promise<void>;
  /** Replaces the record. Fails with a conflict when it has changed since it was read. */
  update(record: ElectionRecord, signal: AbortSignal): Promise<void>;
}
