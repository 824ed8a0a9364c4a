import { asRevision } from "../revision.ts";
import type { CacheEntry } from "./cache-entry.ts";
import type { ObjectChange, ObjectEvent } from "./entry.ts";
import { withResourceVersion } from "./resource-version.ts";

/**
 * The events that a change can cause. Each is created once, when the first watcher needs it, and shared by all
 * watchers that see the change in the same way: thousands of watchers need three objects.
 */
export class Verdicts {
  readonly change: ObjectChange;
  #added: ObjectEvent | undefined;
  #modified: ObjectEvent | undefined;
  #deleted: ObjectEvent | undefined;

  constructor(change: ObjectChange) {
    this.change = change;
  }

  /**
   * Returns the event for a watcher whose selection includes the previous version if `matched` and the current one if
   * `matches`: an object that starts to match is ADDED, one that no longer matches is DELETED, with the last version
   * that matched. Undefined if the watcher does not see the change.
   */
  event(matched: boolean, matches: boolean): ObjectEvent | undefined {
    const { current, previous, revision } = this.change;
    if (matches && current !== undefined) {
      if (matched) {
        this.#modified ??= { type: "MODIFIED", entry: current, revision, frames: undefined };
        return this.#modified;
      }
      this.#added ??= { type: "ADDED", entry: current, revision, frames: undefined };
      return this.#added;
    }
    if (!matched || previous === undefined) return undefined;
    this.#deleted ??= { type: "DELETED", entry: ended(previous, revision), revision, frames: undefined };
    return this.#deleted;
  }
}

function ended(entry: CacheEntry, revision: number): CacheEntry {
  const at = asRevision(revision);
  return entry.with(withResourceVersion(entry.json, at), at);
}
