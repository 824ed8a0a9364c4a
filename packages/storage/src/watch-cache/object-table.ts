import type { CacheEntry } from "./cache-entry.ts";
import type { FieldValue } from "./entry.ts";
import { Slabs } from "./slabs.ts";
import { SortedEntries } from "./sorted-entries.ts";

/** The latest version of every object of a resource, by key, in order, and by indexed field. */
export class ObjectTable {
  readonly #byKey = new Map<string, CacheEntry>();
  readonly #sorted = new SortedEntries();
  readonly #slabs = new Slabs((entry) => this.#byKey.get(entry.key) === entry);
  readonly #byField = new Map<string, Map<string, SortedEntries>>();

  constructor(indexes: readonly string[]) {
    for (const field of indexes) this.#byField.set(field, new Map());
  }

  get size(): number {
    return this.#byKey.size;
  }

  get(key: string): CacheEntry | undefined {
    return this.#byKey.get(key);
  }

  /** All keys, in no order. */
  keys(): IterableIterator<string> {
    return this.#byKey.keys();
  }

  /** Takes the entry in, and its bytes with it. Gives the version replaced. */
  set(entry: CacheEntry): CacheEntry | undefined {
    const previous = this.#byKey.get(entry.key);
    this.#byKey.set(entry.key, entry);
    this.#slabs.place(entry);
    if (previous !== undefined) this.#slabs.release(previous);
    this.#sorted.set(entry);
    for (const [field, values] of this.#byField) {
      const value = entry.fields[field];
      const before = previous?.fields[field];
      if (before !== undefined && before !== value) unlist(values, before, entry.key);
      if (value !== undefined) listed(values, value).set(entry);
    }
    return previous;
  }

  /** Gives the version removed. */
  delete(key: string): CacheEntry | undefined {
    const previous = this.#byKey.get(key);
    if (previous === undefined) return undefined;
    this.#byKey.delete(key);
    this.#slabs.release(previous);
    this.#sorted.delete(key);
    for (const [field, values] of this.#byField) {
      const before = previous.fields[field];
      if (before !== undefined) unlist(values, before, key);
    }
    return previous;
  }

  /** In key order; the answer never changes. An index is used if there is one. */
  list(prefix: string | undefined, fieldIndex: FieldValue | undefined): readonly CacheEntry[] {
    if (fieldIndex === undefined) return prefix === undefined ? this.#sorted.all() : this.#sorted.withPrefix(prefix);
    const { field, value } = fieldIndex;
    const values = this.#byField.get(field);
    if (values === undefined) return this.list(prefix, undefined).filter((entry) => entry.fields[field] === value);
    const found = values.get(value);
    if (found === undefined) return [];
    return prefix === undefined ? found.all() : found.withPrefix(prefix);
  }
}

function listed(values: Map<string, SortedEntries>, value: string): SortedEntries {
  let entries = values.get(value);
  if (entries === undefined) {
    entries = new SortedEntries();
    values.set(value, entries);
  }
  return entries;
}

function unlist(values: Map<string, SortedEntries>, value: string, key: string): void {
  const entries = values.get(value);
  if (entries === undefined) return;
  entries.delete(key);
  if (entries.size === 0) values.delete(value);
}
