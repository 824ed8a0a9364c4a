import type { ApiObject, ResourceDefinition } from "@orchernetes/apimachinery";
import type { Store } from "@orchernetes/storage";
import type { Registry, ResourceStore, StorageMediaType } from "../interfaces/index.ts";
import { readerFor } from "./create-reader.ts";
import { InProcessStore } from "./in-process-store.ts";
import { ObjectStorage } from "./object-storage.ts";
import { type RegistryEnvironment, ServedVersion } from "./served-version.ts";

/** The options of a {@link ResourceRegistry}. */
export interface ResourceRegistryOptions {
  readonly environment: Omit<RegistryEnvironment, "registry">;
  /** The store of a resource (`--etcd-servers-overrides`; encryption wraps it). */
  readonly storeFor: (stored: ResourceDefinition) => Store;
  /** Whether a resource's reads are served from a cache. */
  readonly watchCache: (stored: ResourceDefinition) => boolean;
  /** Watches without resourceVersion are served from the store, even if there is a cache. */
  readonly watchFromStorage: boolean;
  /** Form of what is stored from now on. */
  readonly mediaType: StorageMediaType;
  /** Lifetime of objects whose definition expires (`--event-ttl`), in seconds. */
  readonly eventTtlSeconds: number;
  /**
   * Resources that are switched off (`--runtime-config`) but whose stored objects the server's own parts still read and
   * write.
   */
  readonly unserved?: readonly ResourceDefinition[];
}

/** One resource that requests may name. `store` is absent for kinds that are never stored. */
export interface RegisteredResource {
  readonly definition: ResourceDefinition;
  readonly store: InProcessStore<ApiObject> | undefined;
}

/** The stored objects of a resource with everything that serves them. */
interface SharedStorage {
  readonly storage: ObjectStorage;
  readonly controller: AbortController;
  /** Keys of the versions served from it; when the last one is removed, so is the storage. */
  readonly users: Set<string>;
  /** All definitions that have been served from it, whose selectable fields the cache has to know. */
  readonly definitions: ResourceDefinition[];
}

/** Time that requests in flight have to end when a resource is removed, in milliseconds; then its watches end, too. */
const lingerMs = 1000;

/** `apps/v1/deployments`. */
function resourceKey(group: string, version: string, plural: string): string {
  return `${group}/${version}/${plural}`;
}

const keyOf = (definition: ResourceDefinition): string =>
  resourceKey(definition.group, definition.version, definition.plural);

/**
 * All resources of a server. Versions that share stored objects share one storage and one cache: `autoscaling/v1` and
 * `autoscaling/v2` cost one copy of the objects, and an event is decoded once.
 *
 * Built-in resources are added at the start. Custom resources come and go while the server runs; a changed definition
 * is removed and added, which ends the watches of the old one.
 */
export class ResourceRegistry implements Registry {
  readonly #options: ResourceRegistryOptions;
  readonly #environment: RegistryEnvironment;
  readonly #served = new Map<string, RegisteredResource>();
  readonly #storages = new Map<string, SharedStorage>();
  readonly #listeners = new Set<() => void>();
  readonly #unserved: ReadonlySet<string>;
  /** Stores of resources that are not served, created on the server's first use. */
  readonly #internal = new Map<string, InProcessStore<ApiObject> | undefined>();
  /** What {@link forDefinition} has found since the last change. */
  readonly #byDefinition = new Map<ResourceDefinition, ResourceStore>();
  #started = false;
  generation = 0;

  constructor(options: ResourceRegistryOptions) {
    this.#options = options;
    this.#environment = { ...options.environment, registry: this };
    this.#unserved = new Set(options.unserved?.map(keyOf));
  }

  /** The resource that serves a path; undefined: 404. */
  find(group: string, version: string, plural: string): RegisteredResource | undefined {
    return this.#served.get(resourceKey(group, version, plural));
  }

  /**
   * Registers a listener, which is called after each change of what is served. For discovery and OpenAPI, which are
   * computed from it.
   */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  forDefinition<T extends ApiObject>(definition: ResourceDefinition<T>): ResourceStore<T> {
    const known = this.#byDefinition.get(definition as unknown as ResourceDefinition);
    if (known !== undefined) return known as unknown as ResourceStore<T>;
    const { group, version, plural } = definition;
    const found =
      this.lookup(group, version, plural) ?? this.#internalStore(definition as unknown as ResourceDefinition);
    if (found === undefined) {
      throw new Error(`no stored resource ${plural} is served at ${group === "" ? version : `${group}/${version}`}`);
    }
    this.#byDefinition.set(definition as unknown as ResourceDefinition, found);
    return found as unknown as ResourceStore<T>;
  }

  lookup(group: string, version: string, plural: string): ResourceStore | undefined {
    return this.find(group, version, plural)?.store;
  }

  lookupKind(group: string, version: string, kind: string): ResourceStore | undefined {
    for (const { definition, store } of this.#served.values()) {
      if (
        definition.group === group &&
        definition.version === version &&
        definition.kind === kind &&
        store !== undefined
      ) {
        return store;
      }
    }
    return undefined;
  }

  definitions(): readonly ResourceDefinition[] {
    return [...this.#served.values()].map(({ definition }) => definition);
  }

  add(definitions: readonly ResourceDefinition[]): void {
    // Stored versions first, regardless of the given order, so that views find the storage that they share.
    const ordered = [...definitions].sort(
      (a, b) => Number(a.storedAs !== undefined) - Number(b.storedAs !== undefined),
    );
    const added = new Map<string, RegisteredResource>();
    for (const definition of ordered) {
      this.#drop(definition);
      added.set(keyOf(definition), { definition, store: this.#inProcessStoreOf(definition) });
    }
    for (const definition of definitions) {
      const served = added.get(keyOf(definition));
      if (served !== undefined) this.#served.set(keyOf(definition), served);
    }
    this.#changed();
  }

  remove(definitions: readonly ResourceDefinition[]): void {
    for (const definition of definitions) this.#drop(definition);
    this.#changed();
  }

  /**
   * Starts every cache that serves reads; resolves when all have listed the store's state. Resources added later start
   * theirs at once.
   */
  async start(): Promise<void> {
    this.#started = true;
    for (const storage of this.#cached()) storage.cache.start();
    await this.ready();
  }

  /** Resolves when all caches of the present resources have listed; for readiness checks. */
  async ready(): Promise<void> {
    await Promise.all(this.#cached().map((storage) => storage.cache.ready()));
  }

  /** Prefixes of caches that have not listed yet, for the message of a readiness check. */
  notReady(): readonly string[] {
    return this.#cached()
      .filter((storage) => !storage.cache.isReady())
      .map((storage) => storage.prefix);
  }

  /** Storages by prefix, for object counts in metrics. */
  storages(): readonly ObjectStorage[] {
    return [...this.#storages.values()].map(({ storage }) => storage);
  }

  /** Storages whose reads need their cache. Caches for followers only are no condition of readiness. */
  #cached(): readonly ObjectStorage[] {
    return this.storages().filter((storage) => storage.cached);
  }

  /**
   * The store of an unserved resource, created on first use; undefined for resources that are not in the list of
   * unserved ones.
   */
  #internalStore(definition: ResourceDefinition): InProcessStore<ApiObject> | undefined {
    const key = keyOf(definition);
    if (!this.#unserved.has(key)) return undefined;
    if (!this.#internal.has(key)) this.#internal.set(key, this.#inProcessStoreOf(definition));
    return this.#internal.get(key);
  }

  #changed(): void {
    this.generation++;
    this.#byDefinition.clear();
    for (const listener of this.#listeners) listener();
  }

  /**
   * Stops serving a definition. New requests get 404 immediately; those in flight may continue for {@link lingerMs}.
   */
  #drop(definition: ResourceDefinition): void {
    const key = keyOf(definition);
    const old = this.#served.get(key);
    this.#served.delete(key);
    const prefix = old?.store?.served.storage.prefix;
    const shared = prefix === undefined ? undefined : this.#storages.get(prefix);
    if (shared === undefined || prefix === undefined) return;
    shared.users.delete(key);
    if (shared.users.size > 0) return;
    this.#storages.delete(prefix);
    const gone = new Error(`${definition.plural}.${definition.group} is no longer served`);
    this.#environment.clock.setTimeout(() => shared.controller.abort(gone), lingerMs).unref();
  }

  #inProcessStoreOf(definition: ResourceDefinition): InProcessStore<ApiObject> | undefined {
    const stored = definition.storedAs?.definition ?? definition;
    if (stored.storagePrefix === undefined) return undefined;
    const shared = this.#storageOf(stored, stored.storagePrefix);
    shared.users.add(keyOf(definition));
    if (!shared.definitions.includes(definition)) shared.definitions.push(definition);
    const createReader = readerFor({
      cached: shared.storage.cached,
      watchFromStorage: this.#options.watchFromStorage,
    });
    return new InProcessStore(new ServedVersion(definition, shared.storage, this.#environment, createReader));
  }

  /** The storage of a prefix, created with its first version. */
  #storageOf(stored: ResourceDefinition, prefix: string): SharedStorage {
    const known = this.#storages.get(`${prefix}/`);
    if (known !== undefined) return known;
    const { clock, loop, logger, signal } = this.#environment;
    const controller = new AbortController();
    const definitions: ResourceDefinition[] = [];
    const cached = this.#options.watchCache(stored);
    const storage = new ObjectStorage({
      definition: stored,
      prefix,
      fieldsOf: (object) => fieldsOf(stored, definitions, object),
      store: this.#options.storeFor(stored),
      mediaType: this.#options.mediaType,
      cached,
      clock,
      loop,
      logger,
      ttlSeconds: stored.expires === true ? this.#options.eventTtlSeconds : undefined,
      signal: AbortSignal.any([signal, controller.signal]),
    });
    const shared: SharedStorage = { storage, controller, users: new Set(), definitions };
    this.#storages.set(storage.prefix, shared);
    if (this.#started && cached) storage.cache.start();
    return shared;
  }
}

const noFields: Readonly<Record<string, string>> = Object.freeze({});

/**
 * Selectable fields of a stored object: its own and, under other names, those of versions that view it. A cache entry
 * holds them all, so that watches of any version filter without decoding. A version whose fields the stored one has as
 * well is not converted for this.
 */
function fieldsOf(
  stored: ResourceDefinition,
  served: readonly ResourceDefinition[],
  object: ApiObject,
): Readonly<Record<string, string>> {
  const own = stored.selectableFields?.(object) ?? noFields;
  let all: Record<string, string> | undefined;
  for (const view of served) {
    if (view.storedAs?.fromStored === undefined || view.selectableFields === undefined) continue;
    if ((view.fieldSelectors ?? []).every((path) => Object.hasOwn(own, path))) continue;
    all ??= { ...own };
    Object.assign(all, view.selectableFields(view.storedAs.fromStored(object)));
  }
  return all ?? own;
}
