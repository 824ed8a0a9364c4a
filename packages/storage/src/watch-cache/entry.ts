import type { Revision } from "../revision.ts";
import type { CacheEntry } from "./cache-entry.ts";

/** The parts of an object that the cache keeps instead of its decoded tree. */
export interface Described {
  /** The object's JSON as it is sent, with its resourceVersion. */
  readonly json: Buffer;
  readonly labels: Readonly<Record<string, string>> | undefined;
  /** Values of selectable fields, such as `spec.nodeName`. */
  readonly fields: Readonly<Record<string, string>>;
}

/** An event of a watcher: an object started to match, changed, or stopped matching its selection. */
export interface ObjectEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  /** For DELETED the last version that matched, but with the revision of the change that removed it. */
  readonly entry: CacheEntry;
  readonly revision: Revision;
  /**
   * A cache for the writer of events: encoded frames by encoding. Watchers that see the same change in the same way share the event
   * object, so a frame is encoded once for all of them; it is freed when the last watcher has written it.
   */
  frames: Map<string, Buffer> | undefined;
}

/** Reports that all events of a watcher up to `revision` have been delivered. */
export interface BookmarkEvent {
  readonly type: "BOOKMARK";
  readonly revision: Revision;
}

/** An event that a {@link Watcher} delivers. */
export type CacheEvent = ObjectEvent | BookmarkEvent;

/** A selectable field with the requested value. */
export interface FieldValue {
  readonly field: string;
  readonly value: string;
}

/** A label with the requested value. */
export interface LabelValue {
  readonly key: string;
  readonly value: string;
}

/** A change of one object; at least one of the two versions exists. */
export interface ObjectChange {
  readonly revision: Revision;
  readonly current: CacheEntry | undefined;
  readonly previous: CacheEntry | undefined;
}
