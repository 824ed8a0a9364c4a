import type { CacheEntry } from "./cache-entry.ts";
import type { LabelValue } from "./entry.ts";
import { SortedEntries } from "./sorted-entries.ts";

/** Largest number of labels with an index, and of labels that are remembered after their first use. */
const MAX_LABELS = 16;
/** With fewer objects than this a scan is as fast as an index. */
const MIN_OBJECTS = 256;

interface LabelIndex {
  readonly label: LabelValue;
  readonly entries: SortedEntries;
}

/**
 * Indexes by label for the selectors of lists: a label that is requested a second time gets an index, which then
 * follows all changes. One request alone would not pay for the index. The most recently used ones are kept, so that
 * unused labels cost nothing.
 */
export class LabelIndexes {
  /** In the order of their last use. */
  readonly #indexes = new Map<string, LabelIndex>();
  /** In the order of their first request. */
  readonly #requestedOnce = new Set<string>();

  /**
   * The entries with the label; undefined while it has no index.
   *
   * @param all the entries from which an index is built
   */
  find(label: LabelValue, all: SortedEntries): SortedEntries | undefined {
    if (all.size < MIN_OBJECTS) return undefined;
    const id = `${label.key}=${label.value}`;
    let index = this.#indexes.get(id);
    if (index === undefined) {
      if (!this.#requestedOnce.delete(id)) {
        this.#requestedOnce.add(id);
        dropOldest(this.#requestedOnce);
        return undefined;
      }
      index = { label, entries: SortedEntries.of(all.all().filter((entry) => has(entry, label))) };
    }
    // Deleted first, so that the order of the map is that of use.
    this.#indexes.delete(id);
    this.#indexes.set(id, index);
    dropOldest(this.#indexes);
    return index.entries;
  }

  /** Adds the entry in place of `previous`. */
  set(entry: CacheEntry, previous: CacheEntry | undefined): void {
    for (const { label, entries } of this.#indexes.values()) {
      if (has(entry, label)) entries.set(entry);
      else if (previous !== undefined && has(previous, label)) entries.delete(entry.key);
    }
  }

  /** Removes the entry. */
  delete(entry: CacheEntry): void {
    for (const { label, entries } of this.#indexes.values()) if (has(entry, label)) entries.delete(entry.key);
  }
}

/**
 * Whether the entry has the label. Inherited properties such as `constructor` are not strings and therefore equal no
 * value.
 */
function has({ labels }: CacheEntry, { key, value }: LabelValue): boolean {
  return labels?.[key] === value;
}

function dropOldest(kept: Map<string, unknown> | Set<string>): void {
  if (kept.size <= MAX_LABELS) return;
  for (const oldest of kept.keys()) {
    kept.delete(oldest);
    return;
  }
}
