import { prefixEnd } from "../keys.ts";
import type { CacheEntry } from "./cache-entry.ts";

/** Entries of a chunk: an insertion moves half of them on average. */
const MAX_CHUNK = 512;

/**
 * Entries in key order, in chunks. A search is two binary searches, an insertion moves at most one chunk, and a
 * listing copies chunks. A single array would move all entries at every insertion. The result of a listing never
 * changes.
 */
export class SortedEntries {
  /** In key order; no chunk is empty. */
  #chunks: CacheEntry[][] = [];
  #size = 0;
  /** The result of the last complete listing, until an entry changes. */
  #all: readonly CacheEntry[] | undefined;

  /** @param entries in key order, each key once */
  static of(entries: readonly CacheEntry[]): SortedEntries {
    const sorted = new SortedEntries();
    for (let from = 0; from < entries.length; from += MAX_CHUNK)
      sorted.#chunks.push(entries.slice(from, from + MAX_CHUNK));
    sorted.#size = entries.length;
    return sorted;
  }

  get size(): number {
    return this.#size;
  }

  /** Adds the entry, or replaces the one with the same key. */
  set(entry: CacheEntry): void {
    this.#all = undefined;
    const chunkIndex = Math.max(0, this.#chunkOf(entry.key));
    const chunk = this.#chunks[chunkIndex];
    if (chunk === undefined) {
      this.#chunks.push([entry]);
      this.#size++;
      return;
    }
    const at = lowerBound(chunk, entry.key);
    if (chunk[at]?.key === entry.key) {
      chunk[at] = entry;
      return;
    }
    chunk.splice(at, 0, entry);
    this.#size++;
    if (chunk.length > MAX_CHUNK) this.#chunks.splice(chunkIndex + 1, 0, chunk.splice(MAX_CHUNK >> 1));
  }

  /** Removes the entry with the key, if there is one. */
  delete(key: string): void {
    const chunkIndex = this.#chunkOf(key);
    const chunk = this.#chunks[chunkIndex];
    if (chunk === undefined) return;
    const at = lowerBound(chunk, key);
    if (chunk[at]?.key !== key) return;
    this.#all = undefined;
    chunk.splice(at, 1);
    this.#size--;
    if (chunk.length === 0) this.#chunks.splice(chunkIndex, 1);
  }

  /** All entries in key order. */
  all(): readonly CacheEntry[] {
    this.#all ??= this.#chunks.flat();
    return this.#all;
  }

  /** The entries whose keys start with `prefix`, in key order. */
  withPrefix(prefix: string): readonly CacheEntry[] {
    const end = prefixEnd(prefix);
    const pieces: (readonly CacheEntry[])[] = [];
    for (let i = Math.max(0, this.#chunkOf(prefix)); i < this.#chunks.length; i++) {
      const chunk = this.#chunks[i] ?? [];
      const from = pieces.length > 0 ? 0 : lowerBound(chunk, prefix);
      // Most chunks are completely within the prefix; only the last one has to be searched for its end.
      const last = chunk.at(-1);
      const whole = end === undefined || (last !== undefined && last.key < end);
      const to = whole ? chunk.length : lowerBound(chunk, end);
      if (to > from) pieces.push(chunk.slice(from, to));
      if (to < chunk.length) break;
    }
    return pieces.length === 1 ? (pieces[0] ?? []) : pieces.flat();
  }

  /** The last chunk that starts at or before `key`; -1 if none does. */
  #chunkOf(key: string): number {
    let low = 0;
    let high = this.#chunks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const first = this.#chunks[middle]?.[0];
      if (first !== undefined && first.key <= key) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

function lowerBound(chunk: readonly CacheEntry[], key: string): number {
  let low = 0;
  let high = chunk.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const entry = chunk[middle];
    if (entry !== undefined && entry.key < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
