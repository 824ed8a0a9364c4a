import {
  type ApiObject,
  apiVersionOf,
  canonicalize,
  cloneJson,
  type Draft,
  parseJsonText,
  type ResourceDefinition,
} from "@orchernetes/apimachinery";
import { type Clock, type EventLoop, type Logger, OwnTurns } from "@orchernetes/kernel";
import {
  CacheEntry,
  type Compare,
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

/** Decoded objects kept for a resource; at most twice as many (see {@link Recent}). */
const MAX_DECODED = 256;
/** The same of those that this server has written itself, up to a size in bytes. */
const MAX_WRITTEN = { count: 16, bytes: 16 << 10 } as const;

/**
 * One version of a stored object: the bytes that clients get, with resourceVersion in them, decoded on first use.
 *
 * Most requests never decode. The cache keeps the JSON in the form in which it is sent, so a get, list or watch copies
 * bytes; only selectors on fields without an index, tables, other encodings and writes need the object.
 */
export class StoredObject {
  /** Canonical JSON with resourceVersion, shared with the watch cache; never change it. */
  readonly json: Buffer;
  /** The store's revision of the last write, the same as resourceVersion. */
  readonly revision: Revision;
  /**
   * Whether the store has it in a form that is no longer written (other media type, old encryption key, old schema), so
   * that even a no-op update must write it. Known only for objects that were read straight from the store.
   */
  readonly stale: boolean;
  #object: ApiObject | undefined;
  /** The object without its resourceVersion, from a write. It is added when the object is requested, which is rare. */
  #unversioned: ApiObject | undefined;

  constructor(json: Buffer, revision: Revision, object?: ApiObject, stale = false) {
    this.json = json;
    this.revision = revision;
    this.stale = stale;
    this.#object = object;
  }

  /** For an object that is decoded already: `object` without resourceVersion, `json` with it. */
  static versioned(json: Buffer, revision: Revision, object: ApiObject | undefined, stale = false): StoredObject {
    const stored = new StoredObject(json, revision, undefined, stale);
    stored.#unversioned = object;
    return stored;
  }

  /**
   * The decoded object. Shared: never change it. The bytes were written by this server in canonical form, so parsing
   * JSON is all of decoding; no schema is involved.
   */
  get object(): ApiObject {
    this.#object ??=
      this.#unversioned === undefined
        ? (parseJsonText(this.json.toString()) as ApiObject)
        : withVersion(this.#unversioned, this.revision);
    return this.#object;
  }

  /**
   * A private copy, for writes that change it in place. It shares nothing with {@link object}, which such a write needs as well: a copy
   * of it takes a quarter of the time of parsing the bytes again.
   */
  draft(): Draft<ApiObject> {
    return cloneJson(this.object) as Draft<ApiObject>;
  }
}

/** The options of an {@link ObjectStorage}. */
export interface ObjectStorageOptions {
  /** The definition whose form is stored. */
  readonly definition: ResourceDefinition;
  /** Key prefix without slash at the end, e.g. `/registry/pods`. */
  readonly prefix: string;
  /** Selectable fields of a stored object, for this version and all its views. */
  readonly fieldsOf: (object: ApiObject) => Readonly<Record<string, string>>;
  readonly store: Store;
  readonly clock: Clock;
  readonly loop: EventLoop;
  readonly logger: Logger;
  /** Seconds after which the store removes an object; undefined: never. Only events expire. */
  readonly ttlSeconds: number | undefined;
  /** Form of new writes. */
  readonly mediaType: StorageMediaType;
  /** Whether the cache is filled from the start; otherwise only when a part of the server follows the resource. */
  readonly cached: boolean;
  /** Ends the cache and all watches. */
  readonly signal: AbortSignal;
}

/** An object ready to be stored, in the version that is stored and without resourceVersion. */
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

/**
 * The stored objects of one kind: keys, bytes and the watch cache. Shared by all versions that view them.
 *
 * Keys are upstream's: `<prefix>/<namespace>/<name>`, or `<prefix>/<name>` for cluster-scoped kinds. Namespaces and
 * names cannot contain a slash, so that a key identifies one object and a namespace is a prefix.
 *
 * Every write is a compare-and-swap on the object's mod revision (0: must not exist). There are no locks: two servers
 * on one store, or two requests in one server, are correct by the same check.
 */
export class ObjectStorage {
  readonly definition: ResourceDefinition;
  readonly namespaced: boolean;
  /** Key prefix with trailing slash. */
  readonly prefix: string;
  readonly cache: WatchCache;
  /**
   * Whether clients' reads are served from the cache. Otherwise it starts when a part of the server follows the
   * resource.
   */
  readonly cached: boolean;
  /** Lets reads that examine many objects begin one per turn of the event loop. */
  readonly bigReads: OwnTurns;
  readonly #options: ObjectStorageOptions;
  readonly #form: StoredForm;
  readonly #apiVersion: string;
  readonly #decoded = new Recent<CacheEntry, StoredObject>(MAX_DECODED);
  /** By key: what followers of the resource, such as authorizers, get of a change in the moment of its event. */
  readonly #written = new Recent<string, StoredObject>(MAX_WRITTEN.count);

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

  /** Whether commits to this storage may compare keys of the other one. */
  commitsWith(other: ObjectStorage): boolean {
    const [mine, theirs] = [this.#options.store, other.#options.store];
    return (mine.engine ?? mine) === (theirs.engine ?? theirs);
  }

  /** The key of an object in the store. */
  keyOf({ namespace, name }: ObjectRef): string {
    return this.namespaced ? `${this.prefix}${namespace}/${name}` : `${this.prefix}${name}`;
  }

  /**
   * The decoded form of a cache entry, kept for a while: admission and authorization need the same few objects
   * (namespaces, service accounts) again and again.
   */
  decoded(entry: CacheEntry): StoredObject {
    let stored = this.#decoded.get(entry);
    if (stored === undefined) {
      stored = this.#undecoded(entry);
      this.#decoded.set(entry, stored);
    }
    return stored;
  }

  /**
   * Like {@link decoded}, for a single use: the result is not kept, so that a pass over all objects does not evict the
   * useful ones.
   */
  decodedOnce(entry: CacheEntry): StoredObject {
    return this.#decoded.get(entry) ?? this.#undecoded(entry);
  }

  /** The object of an entry that was not decoded; if this server has just written it, it needs no decoding. */
  #undecoded(entry: CacheEntry): StoredObject {
    const written = this.#written.get(entry.key);
    return written?.revision === entry.revision ? written : new StoredObject(entry.json, entry.revision);
  }

  /** The object as the cache has it now, perhaps a moment older than the store; undefined if it has none. */
  peek(ref: ObjectRef): StoredObject | undefined {
    const entry = this.cache.get(this.namespaced ? ref.namespace : "", ref.name);
    return entry === undefined ? undefined : this.decoded(entry);
  }

  /** Like {@link peek}, for a write, which is going to replace this version: its decoded form is not kept. */
  peekOnce(ref: ObjectRef): StoredObject | undefined {
    const entry = this.cache.get(this.namespaced ? ref.namespace : "", ref.name);
    return entry === undefined ? undefined : this.decodedOnce(entry);
  }

  /**
   * Reads the object from the store (a linearizable read). Needs no cache, and is the only way to see the form in which
   * it is stored.
   *
   * @returns undefined if there is no such object
   */
  async read(ref: ObjectRef, signal?: AbortSignal): Promise<StoredObject | undefined> {
    const found = await this.#options.store.get(this.keyOf(ref), signal === undefined ? {} : { signal });
    return found && this.#fromStore(found);
  }

  /** The stored object for canonical JSON without resourceVersion, as of a revision. */
  fromValue(value: Buffer, revision: Revision): StoredObject {
    return new StoredObject(withResourceVersion(value, revision), revision);
  }

  #fromStore({ value, modRevision, stale }: Versioned): StoredObject {
    const content = this.#form.read(value);
    const outdated = stale === true || content.outdated === true || !this.#form.matches(value);
    const json = withResourceVersion(content.json, modRevision);
    return StoredObject.versioned(json, modRevision, content.object, outdated);
  }

  /**
   * A cache entry for a value that was read from the store's history. It is not put into the cache.
   *
   * @throws if the value cannot be decoded
   */
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

  /**
   * The canonical form and the JSON of what is to be stored. The resourceVersion is not stored: it would have to be
   * known before the commit that determines it. Readers insert it from the key's mod revision, at its place in the
   * bytes and without decoding.
   */
  encode(object: ApiObject): EncodedObject {
    const { schema, kind } = this.definition;
    const { metadata } = object;
    const bare = metadata.resourceVersion === undefined && metadata.selfLink === undefined;
    // Objects of creates are in this form already, and need no copy.
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

  /**
   * Whether writing `value` over `current` would change nothing, not even the form in which it is stored. Canonical
   * JSON makes that a comparison of bytes.
   */
  same(value: Buffer, current: StoredObject): boolean {
    if (current.stale) return false;
    // Every object has a name, so its version adds a comma as well. Most writes differ in length already.
    const added = `,"resourceVersion":"${current.revision}"`.length;
    if (value.length + added !== current.json.length) return false;
    return withResourceVersion(value, current.revision).equals(current.json);
  }

  /**
   * Stores an object if the key is still as `expected` (undefined: does not exist).
   *
   * The same description (JSON with resourceVersion, labels, selectable fields) serves the response and the watch
   * cache: the bytes are announced to the cache before the commit, so that it recognizes its own write in the event
   * stream and need not parse it.
   *
   * @param also versions of other keys that the write depends on; if one differs, the result is a conflict with the
   *   object as it is
   * @throws StoreError when the store does not answer or rejects the value; the outcome may then be unknown (see
   *   `BegunWrite`)
   */
  async write(
    ref: ObjectRef,
    { object, value }: EncodedObject,
    expected: StoredObject | undefined,
    also: readonly Compare[] = [],
  ): Promise<WriteResult> {
    const key = this.keyOf(ref);
    const { store, ttlSeconds } = this.#options;
    // One object for the response and for followers, so that its version is added once.
    let made: { readonly described: Described; readonly stored: StoredObject } | undefined;
    const at = (revision: Revision): NonNullable<typeof made> => {
      if (made?.stored.revision === revision) return made;
      const described = this.#described(value, revision, object);
      const stored = StoredObject.versioned(described.json, revision, object);
      if (value.length <= MAX_WRITTEN.bytes) this.#written.set(key, stored);
      made = { described, stored };
      return made;
    };
    const bytes = this.#form.encode(object, value);
    // The event may reach the cache before the commit returns; both use the one description.
    const takeBack = this.cache.isReady()
      ? this.cache.announce(key, bytes, (revision) => at(revision).described)
      : none;
    const put: Op =
      ttlSeconds === undefined ? { type: "put", key, value: bytes } : { type: "put", key, value: bytes, ttlSeconds };
    try {
      const result = await store.commit([{ key, modRevision: expected?.revision ?? 0 }, ...also], [put]);
      if (result.type === "conflict") {
        takeBack();
        const [current] = result.current;
        return {
          type: "conflict",
          current: current && this.#fromStore(current),
        };
      }
      return { type: "written", stored: at(result.revision).stored };
    } catch (error) {
      takeBack();
      throw error;
    }
  }

  /**
   * Removes the object if it is still as `expected`. The result's bytes have the revision of the removal, which is the
   * resourceVersion that watchers see in the DELETED event.
   *
   * @param also as for {@link write}
   */
  async remove(ref: ObjectRef, expected: StoredObject, also: readonly Compare[] = []): Promise<WriteResult> {
    const key = this.keyOf(ref);
    const result = await this.#options.store.commit(
      [{ key, modRevision: expected.revision }, ...also],
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

  /** A page of objects from the store, at a past revision or the current one. */
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

  /**
   * Watches the store itself, without the cache: for resources without one. Every such watch is a stream of the store.
   */
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

  /**
   * The object if it is known to exist: according to the cache, or to the store if there is no cache. For dry runs,
   * whose result need not be exact: nothing is stored.
   */
  async known(ref: ObjectRef, signal?: AbortSignal): Promise<StoredObject | undefined> {
    return this.cache.isReady() ? this.peek(ref) : this.read(ref, signal);
  }

  /** The key prefix of a list, with a slash at the end; `namespace` undefined: of all namespaces. */
  listPrefix(namespace: string | undefined): string {
    return this.namespaced && namespace !== undefined ? `${this.prefix}${namespace}/` : this.prefix;
  }

  /**
   * Describes a stored value for the cache: JSON to send, labels and selectable fields. This is where events of other
   * servers are decoded, once each.
   */
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
