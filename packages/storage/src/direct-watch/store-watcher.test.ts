import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { openEmbeddedStore } from "../embedded/index.ts";
import { asRevision, type Revision } from "../revision.ts";
import type { Store } from "../store.ts";
import { CacheEntry } from "../watch-cache/cache-entry.ts";
import type { CacheEvent, Described } from "../watch-cache/entry.ts";
import { withResourceVersion } from "../watch-cache/resource-version.ts";
import { WatchCache } from "../watch-cache/watch-cache.ts";
import type { Selection, WatchEndReason, Watcher } from "../watch-cache/watcher.ts";
import { type StoreWatchOptions, watchStore } from "./store-watcher.ts";

let path: string;
let store: Store;
let counter = 0;
beforeAll(async () => {
  path = mkdtempSync(join(tmpdir(), "direct-watch-"));
  store = await openEmbeddedStore({ path, fsync: false });
});
afterAll(async () => {
  await store.close();
  rmSync(path, { recursive: true, force: true });
});
let abort = new AbortController();
afterEach(() => {
  abort.abort();
  abort = new AbortController();
});

function describe(_key: string, value: Buffer, revision: Revision): Described {
  const { labels, node } = JSON.parse(value.toString());
  return { json: withResourceVersion(value, revision), labels, fields: { "spec.nodeName": node } };
}

function entryOf(key: string, value: Buffer, revision: Revision, createRevision: Revision): CacheEntry {
  const [namespace = "", name = ""] = key.split("/").slice(-2);
  return new CacheEntry({ key, namespace, name, revision, createRevision, ...describe(key, value, revision) });
}

const prefixOf = () => `/registry/direct-${++counter}/`;
const put = async (key: string, app: string, node = "") => {
  const value = Buffer.from(JSON.stringify({ metadata: { name: key }, labels: { app }, node }));
  return (await store.commit([], [{ type: "put", key, value }])).revision;
};
const remove = async (key: string) => (await store.commit([], [{ type: "delete", key }])).revision;

function direct(prefix: string, after: Revision, options: Partial<StoreWatchOptions> = {}): Watcher {
  return watchStore({
    store,
    prefix,
    after,
    present: after,
    entryOf,
    bookmarks: false,
    maxBuffered: 100_000,
    signal: abort.signal,
    stopped: new AbortController().signal,
    ...options,
  });
}

function record(watcher: Watcher) {
  const events: CacheEvent[] = [];
  const ends: WatchEndReason[] = [];
  watcher.onEvents((batch) => events.push(...batch));
  watcher.onEnd((reason) => ends.push(reason));
  return { events, ends };
}

const shown = (event: CacheEvent) =>
  event.type === "BOOKMARK"
    ? `BOOKMARK ${event.revision}`
    : `${event.type} ${event.entry.name}@${event.revision} ${event.entry.json}`;

test.each<[string, Selection]>([
  ["everything", {}],
  ["a namespace", { namespace: "a" }],
  ["a name", { namespace: "a", name: "p1" }],
  ["a label", { matches: ({ labels }) => labels?.app === "web" }],
  ["a field", { fieldIndex: { field: "spec.nodeName", value: "n1" } }],
])("gives the events of %s that the cache's watcher gives", async (_, selection) => {
  const prefix = prefixOf();
  const cache = new WatchCache({ store, prefix, namespaced: true, describe, signal: abort.signal });
  cache.start();
  await cache.ready();
  const start = await put(`${prefix}a/p0`, "web", "n1");
  await cache.waitFor(start);
  const options = { ...selection, bookmarks: false, maxBuffered: 100_000, signal: abort.signal };
  const expected = record(cache.watch({ ...options, after: start }));
  const within = selection.namespace === undefined ? prefix : `${prefix}${selection.namespace}/`;
  const early = record(direct(within, start, selection));
  const pick = (of: number) => Math.floor(Math.random() * of);
  let last = start;
  for (let i = 0; i < 200; i++) {
    const key = `${prefix}${pick(2) ? "a" : "b"}/p${pick(4)}`;
    last = pick(3) === 0 ? await remove(key) : await put(key, pick(2) ? "web" : "db", `n${pick(3)}`);
  }
  const late = record(direct(within, start, selection));
  await cache.waitFor(last);
  const want = expected.events.map(shown);
  expect(want.length).toBeGreaterThan(5);
  for (const got of [early, late]) await vi.waitFor(() => expect(got.events.map(shown)).toEqual(want), 20_000);
});

test("a removal whose previous value is compacted ends the watch as expired", async () => {
  const prefix = prefixOf();
  const after = await put(`${prefix}a/x`, "web");
  const gone = await remove(`${prefix}a/x`);
  const got = record(
    direct(prefix, after, {
      store: {
        ...bound(store),
        async get(key, options) {
          await store.compact(gone);
          return store.get(key, options);
        },
      },
    }),
  );
  await vi.waitFor(() => expect(got.ends).toEqual(["expired"]), 10_000);
  expect(got.events).toEqual([]);
});

test("starting before the kept history ends the watch as expired", async () => {
  const prefix = prefixOf();
  const after = await put(`${prefix}a/x`, "web");
  await store.compact(await put(`${prefix}a/x`, "web"));
  await store.compact(await put(`${prefix}a/x`, "web"));
  const got = record(direct(prefix, after));
  await vi.waitFor(() => expect(got.ends).toEqual(["expired"]), 10_000);
});

test("events are held while the watch is paused, up to the limit", async () => {
  const prefix = prefixOf();
  const after = await put(`${prefix}a/x`, "web");
  const watcher = direct(prefix, after, { maxBuffered: 3 });
  const got = record(watcher);
  watcher.pause();
  for (let i = 0; i < 3; i++) await put(`${prefix}a/x`, "web");
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(got).toEqual({ events: [], ends: [] });
  watcher.resume();
  await vi.waitFor(() => expect(got.events).toHaveLength(3), 10_000);
  watcher.pause();
  for (let i = 0; i < 4; i++) await put(`${prefix}a/x`, "web");
  await vi.waitFor(() => expect(got.ends).toEqual(["slow"]), 10_000);
});

test("changes from before its start do not count towards the limit", async () => {
  const prefix = prefixOf();
  const after = await put(`${prefix}a/x`, "web");
  for (let i = 0; i < 20; i++) await put(`${prefix}a/x`, "web");
  const present = await store.revision();
  const got = record(direct(prefix, after, { maxBuffered: 3, present }));
  await vi.waitFor(() => expect(got.events).toHaveLength(20), 10_000);
  expect(got.ends).toEqual([]);
});

test("a bookmark follows the events up to its revision, and reports progress of other keys", async () => {
  const prefix = prefixOf();
  const after = await put(`${prefix}a/x`, "web");
  const watcher = direct(prefix, after, { bookmarks: true });
  const got = record(watcher);
  const gone = await remove(`${prefix}a/x`);
  const elsewhere = await put(`${prefixOf()}a/x`, "web");
  await vi.waitFor(() => {
    watcher.bookmark();
    expect(shown(got.events.at(-1) ?? { type: "BOOKMARK", revision: asRevision(1) })).toBe(`BOOKMARK ${elsewhere}`);
  }, 10_000);
  const bookmarksBefore = got.events.filter((event) => event.type === "BOOKMARK" && event.revision >= gone);
  const removal = got.events.findIndex((event) => event.type === "DELETED");
  expect(got.events.indexOf(bookmarksBefore[0] as CacheEvent)).toBeGreaterThan(removal);
});

test.each<[WatchEndReason, (client: AbortController, server: AbortController) => void]>([
  ["aborted", (client) => client.abort()],
  ["stopped", (_, server) => server.abort()],
])("ends with %s", async (reason, act) => {
  const [client, server] = [new AbortController(), new AbortController()];
  const got = record(direct(prefixOf(), await store.revision(), { signal: client.signal, stopped: server.signal }));
  act(client, server);
  expect(got.ends).toEqual([reason]);
});

/** The store as a plain object. */
function bound(inner: Store): Store {
  return {
    get: inner.get.bind(inner),
    list: inner.list.bind(inner),
    commit: inner.commit.bind(inner),
    watch: inner.watch.bind(inner),
    ...(inner.subscribe && { subscribe: inner.subscribe.bind(inner) }),
    revision: inner.revision.bind(inner),
    compact: inner.compact.bind(inner),
    count: inner.count.bind(inner),
    health: inner.health.bind(inner),
    sizeBytes: inner.sizeBytes.bind(inner),
    close: inner.close.bind(inner),
  };
}
