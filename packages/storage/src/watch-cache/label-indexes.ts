import type { CacheEntry } from "./cache-entry.ts";
import type { LabelValue } from "./entry.ts";
import { SortedEntries } from "./sorted-entries.ts";

/** Labels that have an index at most, and labels remembered as asked for once. */
const MAX_LABELS = 16;
/** Of fewer objects all are looked at as fast. */
const MIN_OBJECTS = 256;

interface LabelIndex {
  readonly label: LabelValue;
  readonly entries: SortedEntries;
}

/**
 * The objects that have a label, for the labels that lists ask for: one asked for again gets an index, which follows the
 * objects from then on. Those asked for last are kept, so that what nobody asks for costs nothing.
 */
export class LabelIndexes {
  /** In the order of their last use. */
  readonly #indexes = new Map<string, LabelIndex>();
  /** In the order in which they were asked for. */
  readonly #askedOnce = new Set<string>();

  /**
   * The entries with the label; undefined while it has no index.
   *
   * @param all what an index is made of
   */
  find(label: LabelValue, all: SortedEntries): SortedEntries | undefined {
    if (all.size < MIN_OBJECTS) return undefined;
    const id = `${label.key}=${label.value}`;
    let index = this.#indexes.get(id);
    if (index === undefined) {
      if (!this.#askedOnce.delete(id)) {
        this.#askedOnce.add(id);
        dropOldest(this.#askedOnce);
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

  /** The entry is there now, in place of `previous`. */
  set(entry: CacheEntry, previous: CacheEntry | undefined): void {
    for (const { label, entries } of this.#indexes.values()) {
      if (has(entry, label)) entries.set(entry);
      else if (previous !== undefined && has(previous, label)) entries.delete(entry.key);
    }
  }

  /** The entry is gone. */
  delete(entry: CacheEntry): void {
    for (const { label, entries } of this.#indexes.values()) if (has(entry, label)) entries.delete(entry.key);
  }
}

/** What objects inherit is no string: it equals no value. */
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
