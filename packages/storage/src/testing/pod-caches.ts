import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { openEmbeddedStore } from "../embedded/index.ts";
import type { Revision } from "../revision.ts";
import type { Store } from "../store.ts";
import type { CacheEvent, Described } from "../watch-cache/entry.ts";
import { withResourceVersion } from "../watch-cache/resource-version.ts";
import { WatchCache, type WatchCacheOptions } from "../watch-cache/watch-cache.ts";
import type { WatchEndReason, Watcher } from "../watch-cache/watcher.ts";

const PREFIX = "/registry/pods/";

/** The properties of a pod that these tests use. */
interface PodShape {
  readonly labels?: Record<string, string>;
  readonly node?: string;
}

/**
 * A cache with its own prefix, and functions that write to it and resolve with the revision. Names are
 * `namespace/name`.
 */
interface PodCache {
  readonly cache: WatchCache;
  readonly prefix: string;
  readonly put: (name: string, pod?: PodShape) => Promise<Revision>;
  readonly remove: (name: string) => Promise<Revision>;
}

/** The store that the tests of a file share, and the caches of one test. */
export interface PodCaches {
  /** An embedded store in its own directory, for all tests of the file. */
  readonly store: Store;
  /** Aborts at the end of the test, which stops its caches. */
  readonly signal: AbortSignal;
  /** Stops the caches of the test at once. */
  abort(): void;
  /** Creates a cache; resolves when it is ready. */
  setUp(options?: Partial<WatchCacheOptions>): Promise<PodCache>;
}

/**
 * Provides the tests of the calling file with a store, and each test with caches of pods. It must be called once, at
 * the top of the file.
 */
export function podCaches(): PodCaches {
  let path: string;
  let store: Store;
  let counter = 0;
  let abort = new AbortController();
  beforeAll(async () => {
    path = mkdtempSync(join(tmpdir(), "watch-cache-"));
    store = await openEmbeddedStore({ path, fsync: false });
  });
  afterEach(() => {
    abort.abort();
    abort = new AbortController();
  });
  afterAll(async () => {
    await store.close();
    rmSync(path, { recursive: true, force: true });
  });
  return {
    get store() {
      return store;
    },
    get signal() {
      return abort.signal;
    },
    abort: () => abort.abort(),
    async setUp(options = {}) {
      const prefix = `${PREFIX}${++counter}/`;
      const { signal } = abort;
      const indexes = ["spec.nodeName"];
      const cache = new WatchCache({
        store,
        prefix,
        namespaced: true,
        describe: describePod,
        indexes,
        signal,
        ...options,
      });
      cache.start();
      await cache.ready();
      const commit = async (type: "put" | "delete", name: string, { labels, node }: PodShape = {}) => {
        const json = { metadata: { name, labels }, spec: { nodeName: node } };
        const value = Buffer.from(JSON.stringify(json));
        const key = `${prefix}${name}`;
        const result = await store.commit([], [type === "put" ? { type, key, value } : { type, key }]);
        return result.revision;
      };
      return {
        cache,
        prefix,
        put: (name, pod) => commit("put", name, pod),
        remove: (name) => commit("delete", name),
      };
    },
  };
}

/** Describes a stored pod for the cache, with the field `spec.nodeName`. */
export function describePod(_key: string, value: Buffer, revision: Revision): Described {
  const { metadata, spec } = JSON.parse(value.toString());
  return {
    json: withResourceVersion(value, revision),
    labels: metadata.labels,
    fields: spec?.nodeName === undefined ? {} : { "spec.nodeName": spec.nodeName },
  };
}

/** Collects the events and the end of a watcher; `lines()` renders the events. */
export function record(watcher: Watcher) {
  const events: CacheEvent[] = [];
  const ends: WatchEndReason[] = [];
  watcher.onEvents((batch) => events.push(...batch));
  watcher.onEnd((reason) => ends.push(reason));
  return { events, ends, lines: () => events.map(shown) };
}

function shown(event: CacheEvent): string {
  if (event.type === "BOOKMARK") return `BOOKMARK ${event.revision}`;
  const inside = JSON.parse(event.entry.json.toString()).metadata.resourceVersion;
  expect([Number(inside), event.entry.revision]).toEqual([event.revision, event.revision]);
  return `${event.type} ${event.entry.namespace}/${event.entry.name} ${event.revision}`;
}

/** The `namespace/name` of each entry. */
export const names = (entries: Iterable<{ readonly namespace: string; readonly name: string }>): readonly string[] =>
  Array.from(entries, ({ namespace, name }) => `${namespace}/${name}`);
