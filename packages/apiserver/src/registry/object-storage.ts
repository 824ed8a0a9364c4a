import {
  type ApiObject,
  apiVersionOf,
  canonicalize,
  type Draft,
  parseJsonText,
  type ResourceDefinition,
} from "@orchernetes/apimachinery";
import { type Clock, type EventLoop, type Logger, OwnTurns } from "@orchernetes/kernel";
import {
  CacheEntry,
  type Described,
  type Op,
  type Revision,
  type Store,
  type StoreWatchOptions,
  type Versioned,
  WatchCache,
  type Watcher,
  watchStore,
  withResourceVersion,
} from "@orchernetes/storage";
import type { ObjectRef, StorageMediaType } from "../interfaces/index.ts";
import { Recent } from "./recent.ts";
import { StoredForm } from "./stored-form.ts";

/** Decoded objects kept for a resource; twice as many at most. */
const MAX_DECODED = 256;

/** One version of a stored object: its wire bytes with resourceVersion, decoded on first use. */
export class StoredObject {
  readonly json: Buffer;
  readonly revision: Revision;
  /** The store holds it in a form that is no longer written; only known of what was read straight from the store. */
  readonly stale: boolean;
  #object: ApiObject | undefined;
  /** The object without its resourceVersion, which is added when the object is requested. */
  #unversioned: ApiObject | undefined;

  constructor(json: Buffer, revision: Revision, object?: ApiObject, stale = false) {
    this.json = json;
    this.revision = revision;
    this.stale = stale;
    this.#object = object;
  }

  /** What was stored as `json` at a revision, given without its resourceVersion. */
  static versioned(json: Buffer, revision: Revision, object: ApiObject | undefined, stale = false): StoredObject {
    const stored = new StoredObject(json, revision, undefined, stale);
    stored.#unversioned = object;
    return stored;
  }

  /** Shared; never change it. The bytes were written by this server in canonical form, so parsing is decoding. */
  get object(): ApiObject {
    this.#object ??=
      this.#unversioned === undefined
        ? (parseJsonText(this.json.toString()) as ApiObject)
        : withVersion(this.#unversioned, this.revision);
    return this.#object;
  }

  /** A private copy. */
  draft(): Draft<ApiObject> {
    return parseJsonText(this.json.toString()) as Draft<ApiObject>;
  }
}

export interface ObjectStorageOptions {
  /** The definition whose form is stored. */
  readonly definition: ResourceDefinition;
  readonly prefix: string;
  /** Selectable fields of a stored object, for this version and all its views. */
  readonly fieldsOf: (object: ApiObject) => Readonly<Record<string, string>>;
  readonly store: Store;
  readonly clock: Clock;
  readonly loop: EventLoop;
  readonly logger: Logger;
  readonly ttlSeconds: number | undefined;
  /** Form of new writes. */
  readonly mediaType: StorageMediaType;
  /** Whether the cache is filled from the start; otherwise only when a part of the server follows the resource. */
  readonly cached: boolean;
  readonly signal: AbortSignal;
}

/** An object ready to be stored. */
export interface EncodedObject {
  readonly object: ApiObject;
  /** Its canonical JSON, regardless of the form in which it is stored. */
  readonly value: Buffer;
}

/** Result of a conditional write. */
export type WriteResult =
  | { readonly type: "written"; readonly stored: StoredObject }
  /** Someone else was faster; `current` is what is stored now. */
  | { readonly type: "conflict"; readonly current: StoredObject | undefined };

/** The stored objects of one kind: keys, bytes and the watch cache. Shared by all versions that view them. */
export class ObjectStorage {
  readonly definition: ResourceDefinition;
  readonly namespaced: boolean;
  /** Key prefix with trailing slash. */
  readonly prefix: string;
  readonly cache: WatchCache;
  readonly cached: boolean;
  /** For reads that look at many objects. */
  readonly bigReads: OwnTurns;
  readonly #options: ObjectStorageOptions;
  readonly #form: StoredForm;
  readonly #apiVersion: string;
  readonly #decoded = new Recent<CacheEntry, StoredObject>(MAX_DECODED);

  constructor(options: ObjectStorageOptions) {
    const { definition, store, clock, loop, logger, signal } = options;
    this.#options = options;
    this.#form = new StoredForm(definition, options.mediaType);
    this.definition = definition;
    this.#apiVersion = apiVersionOf(definition);
    this.namespaced = definition.scope === "Namespaced";
    this.prefix = `${options.prefix}/`;
    this.cached = options.cached;
    this.bigReads = new OwnTurns(loop);
    this.cache = new WatchCache({
      store,
      prefix: this.prefix,
      namespaced: this.namespaced,
      describe: (_key, value, revision) => this.#describe(value, revision),
      indexes: definition.indexedFields ?? [],
      clock,
      loop,
      logger,
      signal,
    });
  }

  keyOf({ namespace, name }: ObjectRef): string {
    return this.namespaced ? `${this.prefix}${namespace}/${name}` : `${this.prefix}${name}`;
  }

  /** The decoded form of a cache entry; cached for a while, because it is often needed again. */
  decoded(entry: CacheEntry): StoredObject {
    let stored = this.#decoded.get(entry);
    if (stored === undefined) {
      stored = new StoredObject(entry.json, entry.revision);
      this.#decoded.set(entry, stored);
    }
    return stored;
  }

  /** The same for who looks at it just now. */
  decodedOnce(entry: CacheEntry): StoredObject {
    return this.#decoded.get(entry) ?? new StoredObject(entry.json, entry.revision);
  }

  /** As the cache knows it now. */
  peek(ref: ObjectRef): StoredObject | undefined {
    const entry = this.cache.get(this.namespaced ? ref.namespace : "", ref.name);
    return entry === undefined ? undefined : this.decoded(entry);
  }

  /** Straight from the store. */
  async read(ref: ObjectRef, signal?: AbortSignal): Promise<StoredObject | undefined> {
    const found = await this.#options.store.get(this.keyOf(ref), signal === undefined ? {} : { signal });
    return found && this.#fromStore(found);
  }

  /** An object's bytes in canonical JSON, as of a revision. */
  fromValue(value: Buffer, revision: Revision): StoredObject {
    return new StoredObject(withResourceVersion(value, revision), revision);
  }

  #fromStore({ value, modRevision, stale }: Versioned): StoredObject {
    const content = this.#form.read(value);
    const outdated = stale === true || content.outdated === true || !this.#form.matches(value);
    const json = withResourceVersion(content.json, modRevision);
    return StoredObject.versioned(json, modRevision, content.object, outdated);
  }

  /** A cache entry for a value read from the store's past. */
  entryOf(key: string, value: Buffer, revision: Revision, createRevision: Revision): CacheEntry {
    const rest = key.slice(this.prefix.length);
    const slash = this.namespaced ? rest.indexOf("/") : -1;
    return new CacheEntry({
      key,
      namespace: slash < 0 ? "" : rest.slice(0, slash),
      name: rest.slice(slash + 1),
      revision,
      createRevision,
      ...this.#describe(value, revision),
    });
  }

  /** Canonical form and bytes of what is to be stored: without resourceVersion. */
  encode(object: ApiObject): EncodedObject {
    const { schema, kind } = this.definition;
    const { metadata } = object;
    const bare = metadata.resourceVersion === undefined && metadata.selfLink === undefined;
    // As creates have it already.
    const given =
      bare && object.kind === kind && object.apiVersion === this.#apiVersion
        ? object
        : {
            ...object,
            kind,
            apiVersion: this.#apiVersion,
            metadata: { ...metadata, resourceVersion: undefined, selfLink: undefined },
          };
    const canonical = canonicalize(schema, given) as ApiObject;
    return { object: canonical, value: Buffer.from(this.#form.text(canonical)) };
  }

  /** Whether writing `value` over `current` would change nothing, not even the form in which it is stored. */
  same(value: Buffer, current: StoredObject): boolean {
    return !current.stale && withResourceVersion(value, current.revision).equals(current.json);
  }

  /** Stores `value` if the object is still as `expected` (undefined: does not exist). */
  async write(
    ref: ObjectRef,
    { object, value }: EncodedObject,
    expected: StoredObject | undefined,
  ): Promise<WriteResult> {
    const key = this.keyOf(ref);
    const { store, ttlSeconds } = this.#options;
    let described: Described | undefined;
    let describedAt: Revision | undefined;
    const describe = (revision: Revision): Described => {
      if (described === undefined || describedAt !== revision) {
        described = this.#described(value, revision, object);
        describedAt = revision;
      }
      return described;
    };
    const bytes = this.#form.encode(object, value);
    // The cache's event may come before the commit returns; both share one description.
    const takeBack = this.cache.isReady() ? this.cache.announce(key, bytes, describe) : none;
    const put: Op =
      ttlSeconds === undefined ? { type: "put", key, value: bytes } : { type: "put", key, value: bytes, ttlSeconds };
    try {
      const result = await store.commit([{ key, modRevision: expected?.revision ?? 0 }], [put]);
      if (result.type === "conflict") {
        takeBack();
        const [current] = result.current;
        return {
          type: "conflict",
          current: current && this.#fromStore(current),
        };
      }
      const { json } = describe(result.revision);
      return { type: "written", stored: StoredObject.versioned(json, result.revision, object) };
    } catch (error) {
      takeBack();
      throw error;
    }
  }

  /** Removes the object if it is still as `expected`. The result's bytes carry the revision of the removal. */
  async remove(ref: ObjectRef, expected: StoredObject): Promise<WriteResult> {
    const key = this.keyOf(ref);
    const result = await this.#options.store.commit(
      [{ key, modRevision: expected.revision }],
      [{ type: "delete", key }],
    );
    if (result.type === "conflict") {
      const [current] = result.current;
      return {
        type: "conflict",
        current: current && this.#fromStore(current),
      };
    }
    return {
      type: "written",
      stored: new StoredObject(withResourceVersion(expected.json, result.revision), result.revision),
    };
  }

  /** A page of the past or present, straight from the store. */
  list(
    namespace: string | undefined,
    options: { limit?: number; after?: string; revision?: Revision; signal?: AbortSignal },
  ) {
    return this.#options.store.list(this.listPrefix(namespace), options);
  }

  /** The store's latest revision. */
  revision(): Promise<Revision> {
    return this.#options.store.revision();
  }

  /** Watches the store itself. */
  watch(
    options: Omit<StoreWatchOptions, "store" | "prefix" | "entryOf" | "clock" | "bookmarkIntervalMs" | "stopped">,
  ): Watcher {
    const { store, clock, logger, signal } = this.#options;
    return watchStore({
      ...options,
      store,
      prefix: this.listPrefix(options.namespace),
      clock,
      stopped: signal,
      entryOf: (key, value, revision, createRevision) => {
        try {
          return this.entryOf(key, value, revision, createRevision);
        } catch (error) {
          logger.error(error, "Stored object cannot be decoded and is skipped", { key, revision });
          return undefined;
        }
      },
    });
  }

  /** The object if it is known to exist: by the cache, or where there is none by the store. */
  async known(ref: ObjectRef, signal?: AbortSignal): Promise<StoredObject | undefined> {
    return this.cache.isReady() ? this.peek(ref) : this.read(ref, signal);
  }

  /** The key prefix of a list. */
  listPrefix(namespace: string | undefined): string {
    return this.namespaced && namespace !== undefined ? `${this.prefix}${namespace}/` : this.prefix;
  }

  /** Of a stored value. */
  #describe(value: Buffer, revision: Revision): Described {
    const { json, object } = this.#form.read(value);
    return this.#described(json, revision, object ?? (parseJsonText(json.toString()) as ApiObject));
  }

  #described(json: Buffer, revision: Revision, object: ApiObject): Described {
    return {
      json: withResourceVersion(json, revision),
      labels: object.metadata.labels,
      fields: this.#options.fieldsOf(object),
    };
  }
}

const none = (): void => {};

function withVersion(object: ApiObject, revision: Revision): ApiObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}
