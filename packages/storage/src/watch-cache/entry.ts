import type { Revision } from "../store.ts";
import type { CacheEntry } from "./cache-entry.ts";

/** What the cache keeps of an object instead of its decoded tree. */
export interface Described {
  /** The object's wire JSON, its resourceVersion inside. */
  readonly json: Buffer;
  readonly labels: Readonly<Record<string, string>> | undefined;
  /** Values of selectable fields, e.g. `spec.nodeName`. */
  readonly fields: Readonly<Record<string, string>>;
}

/** An object that started, went on, or stopped being what a watcher asked for. */
export interface ObjectEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  /** For DELETED the object as it last matched, but with the revision of the change that ended that. */
  readonly entry: CacheEntry;
  readonly revision: Revision;
  /**
   * Free for whoever writes events out: encoded frames by encoding. Watchers with the same verdict on a change get the same
   * event object, so a frame made for one serves all; it goes when the last watcher has written it.
   */
  frames: Map<string, Buffer> | undefined;
}

/** Everything a watcher asked for up to `revision` has been delivered. */
export interface BookmarkEvent {
  readonly type: "BOOKMARK";
  readonly revision: Revision;
}

/** What a {@link Watcher} delivers. */
export type CacheEvent = ObjectEvent | BookmarkEvent;

/** A selectable field with the value asked for. */
export interface FieldValue {
  readonly field: string;
  readonly value: string;
}

/** A label with the value asked for. */
export interface LabelValue {
  readonly key: string;
  readonly value: string;
}

/** A change of one object: at least one of the two sides is there. */
export interface ObjectChange {
  readonly revision: Revision;
  readonly current: CacheEntry | undefined;
  readonly previous: CacheEntry | undefined;
}
