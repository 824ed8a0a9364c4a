import type { ApiObject, Stored } from "@orchernetes/apimachinery";
import type { CacheEntry } from "@orchernetes/storage";
import type { ObjectEvent } from "../interfaces/index.ts";

/**
 * A change as {@link ResourceStore.follow} reports it. Names and selectable fields come from the cache entry and cost
 * nothing. The object is decoded on demand, so that a follower of all pods that needs a few fields of each never parses
 * them.
 */
export class FollowedEvent<T extends ApiObject> implements ObjectEvent<T> {
  readonly type: ObjectEvent<T>["type"];
  readonly #entry: CacheEntry;
  readonly #decode: (entry: CacheEntry) => Stored<T>;
  #object: Stored<T> | undefined;

  constructor(type: ObjectEvent<T>["type"], entry: CacheEntry, decode: (entry: CacheEntry) => Stored<T>) {
    this.type = type;
    this.#entry = entry;
    this.#decode = decode;
  }

  get namespace(): string {
    return this.#entry.namespace;
  }

  get name(): string {
    return this.#entry.name;
  }

  get fields(): Readonly<Record<string, string>> {
    return this.#entry.fields;
  }

  get object(): Stored<T> {
    this.#object ??= this.#decode(this.#entry);
    return this.#object;
  }
}
