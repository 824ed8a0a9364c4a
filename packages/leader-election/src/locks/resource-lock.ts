import type { ObjectReference } from "@orchernetes/client";
import type { ElectionRecord } from "./election-record.ts";

/** A record as read, with a text that changes whenever the stored record does. */
export interface ObservedRecord {
  readonly record: ElectionRecord;
  readonly raw: string;
}

/**
 * An object that an election is held on. Writes fail with a conflict when somebody else wrote since the last read: `update`
 * replaces what the last `get`, `create` or `update` of this lock saw.
 */
export interface ResourceLock {
  /** For logs, such as `orch-system/orch-scheduler`. */
  readonly description: string;
  /** What events about the election are recorded on. */
  reference(): ObjectReference;
  /** The record, or undefined when the object does not exist or holds none. */
  get(signal: AbortSignal): Promise<ObservedRecord | undefined>;
  /** Writes a first record. Fails with "already exists" when somebody else was faster. */
  create(record: ElectionRecord, signal: AbortSignal): Promise<void>;
  update(record: ElectionRecord, signal: AbortSignal): Promise<void>;
}
