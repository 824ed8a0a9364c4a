import type { CacheEntry } from "./cache-entry.ts";
import type { FieldValue, LabelValue } from "./entry.ts";
import { LabelIndexes } from "./label-indexes.ts";
import { Slabs } from "./slabs.ts";
import { SortedEntries } from "./sorted-entries.ts";

/** The latest version of every object of a resource, by key, in order, by indexed field, and by requested label. */
export class ObjectTable {
  readonly #byKey = new Map<string, CacheEntry>();
  readonly #sorted = new SortedEntries();
  readonly #slabs = new Slabs((entry) => this.#byKey.get(entry.key) === entry);
  readonly #byField = new Map<string, Map<string, SortedEntries>>();
  readonly #byLabel = new LabelIndexes();

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

  /** Stores the entry and its bytes, and returns the version that it replaces. */
  set(entry: CacheEntry): CacheEntry | undefined {
    const previous = this.#byKey.get(entry.key);
    this.#byKey.set(entry.key, entry);
    this.#slabs.place(entry);
    if (previous !== undefined) this.#slabs.release(previous);
    this.#sorted.set(entry);
    this.#byLabel.set(entry, previous);
    for (const [field, values] of this.#byField) {
      const value = entry.fields[field];
      const before = previous?.fields[field];
      if (before !== undefined && before !== value) unlist(values, before, entry.key);
      if (value !== undefined) listed(values, value).set(entry);
    }
    return previous;
  }

  /** Removes an object and returns its last version. */
  delete(key: string): CacheEntry | undefined {
    const previous = this.#byKey.get(key);
    if (previous === undefined) return undefined;
    this.#byKey.delete(key);
    this.#slabs.release(previous);
    this.#sorted.delete(key);
    this.#byLabel.delete(previous);
    for (const [field, values] of this.#byField) {
      const before = previous.fields[field];
      if (before !== undefined) unlist(values, before, key);
    }
    return previous;
  }

  /**
   * Lists entries in key order; the result never changes later. An index is used if there is one.
   *
   * @param label all objects that have it are in the result, possibly with others
   */
  list(
    prefix: string | undefined,
    fieldIndex: FieldValue | undefined,
    label: LabelValue | undefined,
  ): readonly CacheEntry[] {
    if (fieldIndex === undefined) {
      const entries = (label && this.#byLabel.find(label, this.#sorted)) ?? this.#sorted;
      return prefix === undefined ? entries.all() : entries.withPrefix(prefix);
    }
    const { field, value } = fieldIndex;
    const values = this.#byField.get(field);
    if (values === undefined)
      return this.list(prefix, undefined, label).filter((entry) => entry.fields[field] === value);
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
