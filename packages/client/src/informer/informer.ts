import { type ApiObject, keyOf, type Stored } from "@orchernetes/apimachinery";
import { type Logger, silentLogger, systemClock, type Timer } from "@orchernetes/kernel";
import type { Client } from "../client.ts";
import { type ResourceRef, resourcePath } from "../resource/resource-ref.ts";
import { catchUp, Progress } from "./catch-up.ts";
import type { Indexers, Lister } from "./lister.ts";
import { type ReflectorOptions, type ReflectorSink, runReflector } from "./reflector.ts";
import { createSharing } from "./share-parts.ts";
import { ObjectStore } from "./store.ts";

/**
 * Called for every change in order, after the cache contains it. An object that was deleted and created again with the same name
 * is reported as a deletion and an addition, even if the informer missed both events. Handlers must be quick: they usually add a
 * key to a work queue. An error that they throw is logged.
 */
export interface ResourceHandler<T extends ApiObject> {
  /** `initial` is true for objects that existed when the informer, or this handler, was added. */
  onAdd?(object: Stored<T>, initial: boolean): void;
  /** At a resync `old` and `object` are the same object. */
  onUpdate?(old: Stored<T>, object: Stored<T>): void;
  /** `object` is the last known state; `stale` is true when the informer missed the event of the deletion. */
  onDelete?(object: Stored<T>, stale: boolean): void;
}

/** The options of an informer. */
export interface InformerOptions<T extends ApiObject> extends ReflectorOptions {
  /**
   * Milliseconds between calls of the handlers for all cached objects; 0 is never. A resync makes no request: it lets
   * level-based controllers repair what they missed, and is not needed where the queue retries. @default 0
   */
  readonly resyncMs?: number;
  readonly indexers?: Indexers<T>;
  /** Removes what is not needed from an object before it is cached; may modify and return its argument. @default dropManagedFields */
  readonly transform?: (object: Stored<T>) => Stored<T>;
  /**
   * Whether equal parts of objects are kept once (see `createSharing`), which takes time for every event and saves memory where
   * many objects are alike. Objects must be JSON after `transform`. @default false
   */
  readonly shareParts?: boolean;
}

/** A cache of one resource that follows the server and calls handlers for changes. */
export interface Informer<T extends ApiObject> {
  readonly ref: ResourceRef<T>;
  /** Reads the cache, which is empty before the first list. */
  readonly lister: Lister<T>;
  /** Adds a handler and calls it for all cached objects, as additions, before it returns. Returns a function that removes it. */
  addHandler(handler: ResourceHandler<T>): () => void;
  /** Adds indexes, also while the informer runs. An index whose name exists is kept as it is. */
  addIndexers(indexers: Indexers<T>): void;
  /** Whether the first list is in the cache and every handler has seen it. */
  hasSynced(): boolean;
  /** Resolves when {@link Informer.hasSynced} becomes true. Rejects with the signal's reason. */
  waitForSync(signal?: AbortSignal): Promise<void>;
  /**
   * Resolves when the cache has every change that was made before the call, which may need another list. Handlers have seen
   * them, too. Rejects with the signal's reason. The informer must be running.
   */
  catchUp(signal: AbortSignal): Promise<void>;
  /** Follows the server until the signal aborts; never rejects. It must be called once. */
  run(signal: AbortSignal): Promise<void>;
}

/** Creates an informer, which does nothing until {@link Informer.run}. */
export function createInformer<T extends ApiObject>(
  client: Client,
  ref: ResourceRef<T>,
  options: InformerOptions<T> = {},
): Informer<T> {
  const { logger = silentLogger, clock = systemClock, resyncMs = 0, transform = dropManagedFields } = options;
  const store = new ObjectStore<T>(options.indexers);
  const share = options.shareParts ? createSharing<T>() : undefined;
  const handlers = new Set<ResourceHandler<T>>();
  const synced = Promise.withResolvers<void>();
  let isSynced = false;
  const progress = new Progress();

  const guard = (call: () => void): void => guarded(call, ref, logger);
  const added = (object: Stored<T>, initial: boolean): void => {
    for (const handler of handlers) guard(() => handler.onAdd?.(object, initial));
  };
  const updated = (old: Stored<T>, object: Stored<T>): void => {
    for (const handler of handlers) guard(() => handler.onUpdate?.(old, object));
  };
  const deleted = (object: Stored<T>, stale: boolean): void => {
    for (const handler of handlers) guard(() => handler.onDelete?.(object, stale));
  };
  const prepare = (incoming: Stored<T>): Stored<T> => {
    const object = transform(incoming);
    return share === undefined ? object : share(object, store.byKey(keyOf(object)));
  };
  const put = (object: Stored<T>, initial: boolean): void => {
    const known = store.byKey(keyOf(object));
    if (known === undefined) {
      store.set(object);
      added(object, initial);
      // Deleted and created again between two lists or watches: whoever holds state by name must see both.
    } else if (known.metadata.uid !== object.metadata.uid) {
      store.delete(keyOf(known));
      deleted(known, true);
      store.set(object);
      added(object, initial);
      // The same version arrives again after a relist; handlers are called for changes only.
    } else if (known.metadata.resourceVersion !== object.metadata.resourceVersion) {
      store.set(object);
      updated(known, object);
    }
  };
  const remove = (key: string, final: Stored<T> | undefined): void => {
    const known = store.delete(key);
    const object = final ?? known;
    if (known !== undefined && object !== undefined) deleted(object, final === undefined);
  };

  const sink: ReflectorSink<T> = {
    prepare,
    replace(items) {
      const initial = !isSynced;
      const listed = new Set<string>();
      for (const item of items) listed.add(keyOf(item));
      // Objects that the list lacks were deleted while no watch was open.
      for (const key of [...store.keys()]) if (!listed.has(key)) remove(key, undefined);
      for (const item of items) put(item, initial);
      isSynced = true;
      synced.resolve();
    },
    progressed: (resourceVersion) => progress.reach(resourceVersion),
    apply(events) {
      for (const { type, object } of events) {
        if (type === "DELETED") remove(keyOf(object), transform(object));
        else put(prepare(object), false);
      }
    },
  };

  return {
    ref,
    lister: store,
    addHandler(handler) {
      // No change can come between these calls and the registration: both happen in the same turn of the event loop.
      for (const object of store.list()) guard(() => handler.onAdd?.(object, true));
      handlers.add(handler);
      return () => handlers.delete(handler);
    },
    addIndexers: (indexers) => store.addIndexers(indexers),
    hasSynced: () => isSynced,
    waitForSync: (signal) => raceAbort(synced.promise, signal),
    catchUp(signal) {
      const path = resourcePath(ref, options.namespace || undefined);
      return catchUp({ client, path, progress, clock, logger }, signal);
    },
    async run(signal) {
      let timer: Timer | undefined;
      const resync = (): void => {
        for (const object of store.list()) updated(object, object);
        timer = clock.setTimeout(resync, resyncMs);
      };
      if (resyncMs > 0) timer = clock.setTimeout(resync, resyncMs);
      try {
        await runReflector(client, ref, sink, options, signal, progress.relist);
      } finally {
        timer?.clear();
      }
    },
  };
}

function guarded(call: () => void, { plural }: { readonly plural: string }, logger: Logger): void {
  try {
    call();
  } catch (error) {
    logger.error(error, "An informer's handler failed", { resource: plural });
  }
}

/**
 * The promise, unless the signal aborts first. The listener is removed, because the signal often lives as long as the
 * process.
 */
function raceAbort(promise: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(() => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    }, reject);
  });
}

/**
 * A transform that drops `metadata.managedFields`, which few readers need and which can be larger than the rest: without it, 10,000
 * running pods take half the memory. An update without managedFields keeps those on the server.
 */
export function dropManagedFields<T extends ApiObject>(object: Stored<T>): Stored<T> {
  const { metadata } = object;
  if (metadata.managedFields === undefined) return object;
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}
