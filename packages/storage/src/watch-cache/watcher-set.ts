import { type EventLoop, WorkSet } from "@orchernetes/kernel";
import type { Revision } from "../revision.ts";
import type { ObjectChange } from "./entry.ts";
import { Verdicts } from "./verdict.ts";
import type { CacheWatcher, Selection, WatchEndReason } from "./watcher.ts";

/**
 * All watchers of a cache, indexed by the most specific part of their selection (a name, the value of an indexed field, a namespace, or
 * none), so that a change is only compared with watchers that may match it.
 */
export class WatcherSet {
  readonly #groups = new Map<string, Set<CacheWatcher>>();
  readonly #all = new Set<CacheWatcher>();
  readonly #indexes: readonly string[];
  /** Watchers with events since the last flush. */
  readonly #dirty = new Set<CacheWatcher>();
  readonly #flushes: WorkSet<CacheWatcher>;
  readonly #ends: WorkSet<() => void>;

  constructor(indexes: readonly string[], loop: EventLoop) {
    this.#indexes = indexes;
    this.#flushes = new WorkSet(loop, { work: (watcher) => watcher.flush() });
    this.#ends = new WorkSet(loop, { work: (end) => end() });
  }

  get size(): number {
    return this.#all.size;
  }

  add(watcher: CacheWatcher): void {
    const group = this.#groupOf(watcher.selection);
    const members = this.#groups.get(group) ?? new Set();
    this.#groups.set(group, members.add(watcher));
    this.#all.add(watcher);
  }

  /** Idempotent. */
  remove(watcher: CacheWatcher): void {
    if (!this.#all.has(watcher)) return;
    const group = this.#groupOf(watcher.selection);
    const members = this.#groups.get(group);
    members?.delete(watcher);
    if (members?.size === 0) this.#groups.delete(group);
    this.#all.delete(watcher);
    this.#dirty.delete(watcher);
    this.#flushes.delete(watcher);
  }

  /** Offers the change to every watcher that may match it; nothing is delivered before {@link flush}. */
  offer(change: ObjectChange): void {
    if (this.#all.size === 0) return;
    const entry = change.current ?? change.previous;
    if (entry === undefined) return;
    const verdicts = new Verdicts(change);
    this.#offerTo("", verdicts);
    this.#offerTo(`n/${entry.namespace}`, verdicts);
    this.#offerTo(`o/${entry.namespace}/${entry.name}`, verdicts);
    if (entry.namespace !== "") this.#offerTo(`o//${entry.name}`, verdicts);
    for (const field of this.#indexes) {
      const now = change.current?.fields[field];
      const before = change.previous?.fields[field];
      if (now !== undefined) this.#offerTo(`f/${field}=${now}`, verdicts);
      if (before !== undefined && before !== now) this.#offerTo(`f/${field}=${before}`, verdicts);
    }
  }

  /**
   * Delivers the events since the last flush. Many watchers are served in slices, so that the event loop is not
   * blocked; those that are served later may also receive events that were offered in the meantime.
   */
  flush(): void {
    this.#flushes.add(this.#dirty);
    this.#dirty.clear();
  }

  /** Delivers a bookmark to every watcher that requested them. */
  bookmark(revision: Revision): void {
    for (const watcher of this.#all) {
      if (!watcher.bookmarks) continue;
      watcher.offerBookmark(revision);
      this.#dirty.add(watcher);
    }
    this.flush();
  }

  /** Ends all watchers, many of them in slices. No change is offered to them from now on. */
  end(reason: WatchEndReason): void {
    const all = [...this.#all];
    this.#groups.clear();
    this.#all.clear();
    this.#dirty.clear();
    this.#ends.add(all.map((watcher) => () => watcher.end(reason)));
  }

  #offerTo(group: string, verdicts: Verdicts): void {
    const members = this.#groups.get(group);
    if (members === undefined) return;
    for (const watcher of members) if (watcher.offer(verdicts)) this.#dirty.add(watcher);
  }

  /**
   * The group of a selection. A change is offered to the groups of its namespace, name and indexed fields, and to
   * that of all objects.
   */
  #groupOf({ namespace, name, fieldIndex }: Selection): string {
    if (name !== undefined) return `o/${namespace ?? ""}/${name}`;
    if (fieldIndex !== undefined && this.#indexes.includes(fieldIndex.field)) {
      return `f/${fieldIndex.field}=${fieldIndex.value}`;
    }
    return namespace === undefined ? "" : `n/${namespace}`;
  }
}
