import {
  type ApiObject,
  canonicalize,
  type Draft,
  notFound,
  type ResourceDefinition,
  type Stored,
} from "@orchernetes/apimachinery";
import type { CacheEntry, CacheEvent, Watcher } from "@orchernetes/storage";
import type {
  DeleteOptions,
  DeleteResult,
  ObjectEvent,
  ObjectRef,
  Registry,
  ResourceStore,
  Selection,
  UpdateOptions,
  WriteCondition,
  WriteOptions,
} from "../interfaces/index.ts";
import { ConvertingWatcher } from "./converting-watcher.ts";
import { createObject } from "./create.ts";
import { deleteObject } from "./delete.ts";
import { FollowedEvent } from "./followed-event.ts";
import { fieldSelectorOf, labelSelectorOf } from "./list-options.ts";
import { type EntrySelection, selectionOf } from "./selection.ts";
import type { ServedVersion } from "./served-version.ts";
import { StoreWrite } from "./store-write.ts";
import { updateObject } from "./update.ts";
import { WriteGuard } from "./write-guard.ts";

/** Pause before a follower lists again after its watch ended, in milliseconds. */
const followRetryMs = 200;
/** The same after a conversion webhook failed: each attempt sends it all objects of the resource. */
const conversionRetryMs = 5000;
/** Initial objects reported to a follower before the event loop gets its turn. */
const followedPerTurn = 200;
/** Attempts of an update after conflicts with other writers, then 409. */
const conflictRetries = 50;

/**
 * One served version of a resource for parts of the same process: what clients do over HTTP, without authentication,
 * encoding and (unless requested) admission. See {@link ResourceStore} for the contract.
 */
export class InProcessStore<T extends ApiObject> implements ResourceStore<T> {
  /** For handlers, which work on bytes and need the parts below this interface. */
  readonly served: ServedVersion;

  constructor(served: ServedVersion) {
    this.served = served;
  }

  get definition(): ResourceDefinition<T> {
    return this.served.definition as unknown as ResourceDefinition<T>;
  }

  async get(ref: ObjectRef, options: { readonly signal?: AbortSignal } = {}): Promise<Stored<T>> {
    const found = await this.served.reader.get(ref, undefined, options);
    if (found === undefined) throw notFound(this.served.resource, ref.name);
    return (await this.served.view(found)).object as Stored<T>;
  }

  cached(ref: ObjectRef): Stored<T> | undefined {
    const found = this.served.storage.peek(ref);
    const view = found === undefined ? undefined : this.served.view(found);
    // A webhook would have to be called, and this method cannot wait.
    return view === undefined || view instanceof Promise ? undefined : (view.object as Stored<T>);
  }

  async list(
    selection: Selection = {},
  ): Promise<{ readonly items: readonly Stored<T>[]; readonly resourceVersion: string }> {
    const { entries, revision } = await this.served.reader.all(this.#selection(selection));
    return { items: await this.#objects(entries), resourceVersion: String(revision) };
  }

  recentList(selection: Selection = {}): readonly Stored<T>[] | Promise<readonly Stored<T>[]> {
    const entries = this.served.reader.recent(this.#selection(selection));
    return entries instanceof Promise ? entries.then((all) => this.#objects(all)) : this.#objects(entries);
  }

  follow(
    listener: { readonly onEvent: (event: ObjectEvent<T>) => void; readonly onSynced?: () => void },
    signal: AbortSignal,
  ): void {
    const known = new Map<string, CacheEntry>();
    let synced = false;
    const { cache } = this.served.storage;
    // A resource that clients read without a cache (`--watch-cache`) gets one for followers, on first use.
    cache.start();
    const run = async (): Promise<void> => {
      await cache.ready();
      if (signal.aborted) return;
      const { entries, watcher } = await this.#converting(
        cache.listAndWatch({ bookmarks: false, maxBuffered: Number.MAX_SAFE_INTEGER, signal }),
      );
      const present = new Set(known.size === 0 ? [] : entries.map((entry) => entry.key));
      for (const [key, entry] of known) {
        if (present.has(key)) continue;
        known.delete(key);
        listener.onEvent(new FollowedEvent("DELETED", entry, this.#passing));
      }
      for (const [index, entry] of entries.entries()) {
        if (index % followedPerTurn === followedPerTurn - 1) {
          await this.served.environment.loop.nextTurn();
          if (signal.aborted) return;
        }
        const before = known.get(entry.key);
        known.set(entry.key, entry);
        if (before?.revision === entry.revision) continue;
        listener.onEvent(new FollowedEvent(before === undefined ? "ADDED" : "MODIFIED", entry, this.#passing));
      }
      if (!synced) {
        synced = true;
        listener.onSynced?.();
      }
      watcher.onEvents((events) => this.#deliver(events, known, listener.onEvent));
      watcher.onEnd((reason) => {
        const failed = watcher instanceof ConvertingWatcher && watcher.failure !== undefined;
        if ((!failed && (reason === "aborted" || reason === "stopped")) || signal.aborted) return;
        this.served.environment.clock.setTimeout(start, failed ? conversionRetryMs : followRetryMs).unref();
      });
    };
    const start = () => {
      run().catch((error: unknown) => {
        if (signal.aborted || this.served.environment.signal.aborted) return;
        this.served.environment.logger.warn("Watching a resource failed; it will be retried", {
          resource: this.served.definition.plural,
          err: String(error),
        });
        const delayMs = this.served.form.converter === undefined ? followRetryMs : conversionRetryMs;
        this.served.environment.clock.setTimeout(start, delayMs).unref();
      });
    };
    start();
  }

  async create(object: T, options: WriteOptions = {}): Promise<Stored<T>> {
    const draft = canonicalize(this.definition.schema, object) as unknown as Draft<ApiObject>;
    const stored = await createObject(this.served, draft, this.#request(options));
    return stored.object as Stored<T>;
  }

  async update(
    ref: ObjectRef,
    change: (draft: Draft<T>, current: Stored<T>) => unknown,
    options: UpdateOptions = {},
  ): Promise<Stored<T>> {
    const { served } = this;
    const subresource = served.definition.subresources?.[options.subresource ?? ""];
    const strategy =
      subresource?.type === "status" || subresource?.type === "object"
        ? subresource.strategy
        : served.definition.strategy;
    const request = this.#request(options, options.subresource);
    const outcome = await updateObject(
      served,
      {
        ref,
        strategy,
        uid: options.uid,
        allowCreate: false,
        bare: options.bare ?? false,
        retries: conflictRetries,
        produce: async (current) => {
          if (current === undefined) return false;
          const draft = current.draft();
          const answer = await change(draft as Draft<T>, current.object as Stored<T>);
          if (answer === false) return false;
          served.definition.applyDefaults?.(draft);
          return draft;
        },
      },
      request,
    );
    return outcome.stored.object as Stored<T>;
  }

  async delete(ref: ObjectRef, options: DeleteOptions = {}): Promise<DeleteResult<T>> {
    const outcome = await deleteObject(this.served, ref, options, this.#request(options));
    return { removed: outcome.removed, object: outcome.stored.object as Stored<T> };
  }

  #request(options: WriteOptions, subresource = ""): StoreWrite {
    const { environment } = this.served;
    const { condition } = options;
    return new StoreWrite(environment, options, subresource, condition && guardOf(environment.registry, condition));
  }

  #selection({ namespace, labelSelector, fieldSelector }: Selection): EntrySelection {
    const { definition } = this.served;
    return selectionOf(
      definition,
      { namespace },
      labelSelectorOf(labelSelector),
      fieldSelectorOf(definition, fieldSelector),
    );
  }

  /** The initial objects and the watcher of a follower, in this version's form. */
  async #converting(start: {
    readonly entries: readonly CacheEntry[];
    readonly watcher: Watcher;
  }): Promise<typeof start> {
    const { form } = this.served;
    if (form.converter === undefined) return start;
    try {
      return { entries: await form.entries(start.entries), watcher: new ConvertingWatcher(start.watcher, form) };
    } catch (error) {
      start.watcher.stop();
      throw error;
    }
  }

  #objects(entries: readonly CacheEntry[]): readonly Stored<T>[] | Promise<readonly Stored<T>[]> {
    const { form, storage } = this.served;
    if (form.converter === undefined)
      return entries.map((entry) => form.known(storage.decoded(entry)).object as Stored<T>);
    return form.entries(entries).then((converted) => converted.map(this.#passing));
  }

  /**
   * Decodes an object for a follower. Followers keep what they need of it, so the result is not put into the cache of
   * decoded objects.
   */
  readonly #passing = (entry: CacheEntry): Stored<T> =>
    this.served.form.known(this.served.storage.decodedOnce(entry)).object as Stored<T>;

  /**
   * Reports events to a follower. A follower that throws on one event still gets the next: otherwise a mistake with one
   * object would stop an authorizer or admission plugin from seeing any further change.
   */
  #deliver(
    events: readonly CacheEvent[],
    known: Map<string, CacheEntry>,
    onEvent: (event: ObjectEvent<T>) => void,
  ): void {
    for (const event of events) {
      if (event.type === "BOOKMARK") continue;
      if (event.type === "DELETED") known.delete(event.entry.key);
      else known.set(event.entry.key, event.entry);
      try {
        onEvent(new FollowedEvent(event.type, event.entry, this.#passing));
      } catch (error) {
        this.served.environment.logger.error(error, "A watcher of a resource failed on an event", {
          key: event.entry.key,
        });
      }
    }
  }
}

/** The guard of a condition on an object of the registry. @throws Error for a resource that is not stored */
export function guardOf(registry: Pick<Registry, "forDefinition">, condition: WriteCondition): WriteGuard {
  const store = registry.forDefinition(condition.definition);
  if (!(store instanceof InProcessStore)) throw new Error(`no stored resource ${condition.definition.plural}`);
  return new WriteGuard(condition, store.served);
}
