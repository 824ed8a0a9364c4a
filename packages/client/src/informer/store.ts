import { type ApiObject, keyOf, type Stored } from "@orchernetes/apimachinery";
import type { Indexer, Indexers, Lister } from "./lister.ts";

/** One index: for each value the objects under it, by key. */
interface Index<T extends ApiObject> {
  readonly valuesOf: Indexer<T>;
  readonly buckets: Map<string, Map<string, Stored<T>>>;
}

/** The name of the index that every store of namespaced objects has. */
const namespaceIndex = "namespace";

/** The informer's cache: objects by key, and by the values of each index. The cost of a read is proportional to its result. */
export class ObjectStore<T extends ApiObject> implements Lister<T> {
  readonly #objects = new Map<string, Stored<T>>();
  readonly #indexes = new Map<string, Index<T>>();

  constructor(indexers: Indexers<T> = {}) {
    this.addIndexers({ [namespaceIndex]: (object) => object.metadata.namespace || undefined, ...indexers });
  }

  get size(): number {
    return this.#objects.size;
  }

  get(namespace: string, name: string): Stored<T> | undefined {
    return this.#objects.get(namespace === "" ? name : `${namespace}/${name}`);
  }

  byKey(key: string): Stored<T> | undefined {
    return this.#objects.get(key);
  }

  list(namespace = ""): readonly Stored<T>[] {
    return namespace === "" ? [...this.#objects.values()] : this.byIndex(namespaceIndex, namespace);
  }

  byIndex(index: string, value: string): readonly Stored<T>[] {
    const found = this.#indexOf(index).buckets.get(value);
    return found === undefined ? [] : [...found.values()];
  }

  indexValues(index: string): readonly string[] {
    return [...this.#indexOf(index).buckets.keys()];
  }

  /** Keys of all objects. It is not a copy: the caller must not change the store while it iterates. */
  keys(): IterableIterator<string> {
    return this.#objects.keys();
  }

  /** Adds indexes over existing and future objects. An indexer whose name exists is ignored. */
  addIndexers(indexers: Indexers<T>): void {
    for (const [name, valuesOf] of Object.entries(indexers)) {
      if (this.#indexes.has(name)) continue;
      const index: Index<T> = { valuesOf, buckets: new Map() };
      this.#indexes.set(name, index);
      for (const [key, object] of this.#objects) insert(index, key, object);
    }
  }

  /** Stores the object and returns the one with the same key that it replaces. */
  set(object: Stored<T>): Stored<T> | undefined {
    const key = keyOf(object);
    const old = this.#objects.get(key);
    this.#objects.set(key, object);
    for (const index of this.#indexes.values()) {
      // The old values are computed again instead of stored: an indexer depends on the object alone, and objects are
      // never modified.
      if (old !== undefined) remove(index, key, old);
      insert(index, key, object);
    }
    return old;
  }

  /** Removes the object and returns it. */
  delete(key: string): Stored<T> | undefined {
    const old = this.#objects.get(key);
    if (old === undefined) return undefined;
    this.#objects.delete(key);
    for (const index of this.#indexes.values()) remove(index, key, old);
    return old;
  }

  #indexOf(name: string): Index<T> {
    const index = this.#indexes.get(name);
    if (index === undefined) {
      throw new RangeError(`no index ${JSON.stringify(name)}: there are ${[...this.#indexes.keys()].join(", ")}`);
    }
    return index;
  }
}

function insert<T extends ApiObject>({ valuesOf, buckets }: Index<T>, key: string, object: Stored<T>): void {
  const values = valuesOf(object);
  if (values === undefined) return;
  for (const value of typeof values === "string" ? [values] : values) {
    const bucket = buckets.get(value);
    if (bucket === undefined) buckets.set(value, new Map([[key, object]]));
    else bucket.set(key, object);
  }
}

function remove<T extends ApiObject>({ valuesOf, buckets }: Index<T>, key: string, object: Stored<T>): void {
  const values = valuesOf(object);
  if (values === undefined) return;
  for (const value of typeof values === "string" ? [values] : values) {
    const bucket = buckets.get(value);
    bucket?.delete(key);
    if (bucket?.size === 0) buckets.delete(value);
  }
}
