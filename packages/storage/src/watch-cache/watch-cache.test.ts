import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { openEmbeddedStore } from "../embedded/index.ts";
import { StoreError } from "../errors.ts";
import { asRevision } from "../revision.ts";
import type { Revision, Store } from "../store.ts";
import type { CacheEvent, Described } from "./entry.ts";
import { withResourceVersion } from "./resource-version.ts";
import { WatchCache, type WatchCacheOptions } from "./watch-cache.ts";
import type { WatchEndReason, Watcher } from "./watcher.ts";

const PREFIX = "/registry/pods/";
let path: string;
let store: Store;
let counter = 0;
beforeAll(async () => {
  path = mkdtempSync(join(tmpdir(), "watch-cache-"));
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

interface PodShape {
  readonly labels?: Record<string, string>;
  readonly node?: string;
}

function describePod(_key: string, value: Buffer, revision: Revision): Described {
  const { metadata, spec } = JSON.parse(value.toString());
  return {
    json: withResourceVersion(value, revision),
    labels: metadata.labels,
    fields: spec?.nodeName === undefined ? {} : { "spec.nodeName": spec.nodeName },
  };
}

/** A cache over a prefix of its own, and writers for it. */
async function setUp(options: Partial<WatchCacheOptions> = {}) {
  const prefix = `${PREFIX}${++counter}/`;
  const cache = new WatchCache({
    store,
    prefix,
    namespaced: true,
    describe: describePod,
    indexes: ["spec.nodeName"],
    signal: abort.signal,
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
    put: (name: string, pod?: PodShape) => commit("put", name, pod),
    remove: (name: string) => commit("delete", name),
  };
}

function record(watcher: Watcher) {
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

const names = (entries: Iterable<{ namespace: string; name: string }>) =>
  Array.from(entries, ({ namespace, name }) => `${namespace}/${name}`);

describe("WatchCache lists", () => {
  test("objects in key order, by namespace and by indexed or unindexed field", async () => {
    const { cache, put, remove } = await setUp();
    for (const name of ["b/2", "a/1", "b-x/1", "b/1"]) await put(name, { node: name.endsWith("1") ? "one" : "two" });
    await put("b/3", { node: "one" });
    await put("a/2");
    await remove("a/2");
    await cache.waitFresh();
    const one = { field: "spec.nodeName", value: "one" };
    expect(names(cache.list())).toEqual(["a/1", "b-x/1", "b/1", "b/2", "b/3"]);
    expect(names(cache.list({ namespace: "b" }))).toEqual(["b/1", "b/2", "b/3"]);
    expect(names(cache.list({ fieldIndex: one }))).toEqual(["a/1", "b-x/1", "b/1", "b/3"]);
    expect(names(cache.list({ namespace: "b", fieldIndex: one }))).toEqual(["b/1", "b/3"]);
    expect(names(cache.list({ namespace: "none" }))).toEqual([]);
    await put("b/3", { node: "two" });
    await cache.waitFresh();
    expect(names(cache.list({ fieldIndex: one }))).toEqual(["a/1", "b-x/1", "b/1"]);
    expect(cache.size).toBe(5);
    expect(cache.get("b", "3")?.fields).toEqual({ "spec.nodeName": "two" });
    expect(cache.get("b", "4")).toBeUndefined();
  });

  test("are not touched by later changes", async () => {
    const { cache, put, remove } = await setUp();
    await put("a/1");
    await put("a/2");
    await cache.waitFresh();
    const before = cache.list();
    const inNamespace = cache.list({ namespace: "a" });
    const old = before[0]?.json.toString();
    await put("a/1", { labels: { x: "y" } });
    await put("a/0");
    await remove("a/2");
    await cache.waitFresh();
    expect(names(before)).toEqual(["a/1", "a/2"]);
    expect(names(inNamespace)).toEqual(["a/1", "a/2"]);
    expect(before[0]?.json.toString()).toBe(old);
    expect(names(cache.list())).toEqual(["a/0", "a/1"]);
  });

  test("know creation and modification, through restarts of the cache", async () => {
    const { cache, prefix, put } = await setUp();
    const created = await put("a/1");
    const updated = await put("a/1", { labels: {} });
    await cache.waitFresh();
    const want = { key: `${prefix}a/1`, createRevision: created, revision: updated };
    expect(cache.get("a", "1")).toMatchObject(want);
    const other = new WatchCache({ store, prefix, namespaced: true, describe: describePod, signal: abort.signal });
    other.start();
    await other.ready();
    expect(other.get("a", "1")).toMatchObject(want);
  });

  test("keep order and content through thousands of changes in any order", async () => {
    const { cache, prefix } = await setUp();
    const alive = new Set<string>();
    let state = 7;
    for (let round = 0; round < 40; round++) {
      await Promise.all(
        Array.from({ length: 100 }, () => {
          state = (state * 1103515245 + 12345) % 2147483648;
          const name = `ns-${state % 3}/p-${state % 1777}`;
          const value = Buffer.from('{"metadata":{}}');
          const type = state % 4 === 0 ? "delete" : "put";
          if (type === "put") alive.add(name);
          else alive.delete(name);
          const key = `${prefix}${name}`;
          return store.commit([], [type === "put" ? { type, key, value } : { type, key }]);
        }),
      );
    }
    await cache.waitFresh();
    expect(names(cache.list())).toEqual([...alive].toSorted());
    expect(names(cache.list({ namespace: "ns-1" }))).toEqual(
      [...alive].filter((n) => n.startsWith("ns-1/")).toSorted(),
    );
  });

  test("leave out, with a line in the log, what cannot be decoded", async () => {
    const error = vi.fn();
    const { cache, put, prefix } = await setUp({ logger: { info() {}, warn() {}, error } });
    await put("a/1");
    await store.commit([], [{ type: "put", key: `${prefix}a/2`, value: Buffer.from("not json") }]);
    await cache.waitFresh();
    expect(names(cache.list())).toEqual(["a/1"]);
    expect(error).toHaveBeenCalledWith(
      expect.stringContaining("cannot be decoded"),
      expect.objectContaining({ key: `${prefix}a/2` }),
    );
  });
});

describe("WatchCache waits", () => {
  test("for what was written before, on any key", async () => {
    const { cache, put } = await setUp();
    for (let i = 0; i < 20; i++) {
      const revision = await put(`a/${i}`);
      expect(await cache.waitFresh()).toBe(revision);
      expect(cache.get("a", String(i))?.revision).toBe(revision);
      const beside = await store.commit([], [{ type: "put", key: "/registry/beside", value: Buffer.from("x") }]);
      await cache.waitFresh();
      expect(cache.revision).toBe(beside.revision);
    }
  });

  test("not longer than it is told", async () => {
    const { cache } = await setUp();
    await expect(cache.waitFor(asRevision(9_999_999), 20)).rejects.toMatchObject({
      reason: "Timeout",
      message: expect.stringMatching(/^Too large resource version: 9999999, current: \d+$/),
    });
    abort.abort();
    await expect(cache.waitFor(asRevision(9_999_999), 1000)).rejects.toMatchObject({ reason: "Unavailable" });
  });
});

describe("WatchCache watches", () => {
  test.each([
    ["everything", {}, ["ADDED a/1", "ADDED b/1", "MODIFIED a/1", "MODIFIED a/1", "DELETED a/1", "ADDED a/1"]],
    ["a namespace", { namespace: "b" }, ["ADDED b/1"]],
    [
      "a name",
      { namespace: "a", name: "1" },
      ["ADDED a/1", "MODIFIED a/1", "MODIFIED a/1", "DELETED a/1", "ADDED a/1"],
    ],
    [
      "a name in all namespaces",
      { name: "1" },
      ["ADDED a/1", "ADDED b/1", "MODIFIED a/1", "MODIFIED a/1", "DELETED a/1", "ADDED a/1"],
    ],
    ["an indexed field", { fieldIndex: { field: "spec.nodeName", value: "n1" } }, ["ADDED a/1", "DELETED a/1"]],
    ["another of its values", { fieldIndex: { field: "spec.nodeName", value: "n2" } }, ["ADDED a/1", "DELETED a/1"]],
    ["a field in a namespace", { namespace: "b", fieldIndex: { field: "spec.nodeName", value: "n1" } }, []],
    [
      "labels",
      { matches: (entry: { labels?: Record<string, string> | undefined }) => entry.labels?.app === "web" },
      ["ADDED a/1", "DELETED a/1"],
    ],
  ])("%s: live, from the past, and with a list before", async (_, selection, want) => {
    const { cache, put, remove } = await setUp();
    await cache.waitFresh();
    const start = cache.revision;
    const options = { bookmarks: false, signal: abort.signal, ...selection };
    const live = record(cache.watch({ after: start, ...options }));
    const listed = cache.listAndWatch(options);
    const afterList = record(listed.watcher);
    expect([listed.entries, listed.revision]).toEqual([[], start]);
    const revisions = [
      await put("a/1"),
      await put("b/1"),
      await put("a/1", { node: "n1", labels: { app: "web" } }),
      await put("a/1", { node: "n2" }),
      await remove("a/1"),
      await put("a/1"),
    ];
    await cache.waitFresh();
    const past = record(cache.watch({ after: start, ...options }));
    const withoutRevisions = live.lines().map((line) => line.replace(/ \d+$/, ""));
    expect(withoutRevisions).toEqual(want);
    expect(past.lines()).toEqual(live.lines());
    expect(afterList.lines()).toEqual(live.lines());
    const seen = live.events.map((event) => event.revision);
    expect(seen).toEqual(revisions.filter((revision) => seen.includes(revision)));
  });

  test("give an object that stops matching as it was, at the revision of the change", async () => {
    const { cache, put } = await setUp();
    await put("a/1", { node: "n1", labels: { app: "web" } });
    await cache.waitFresh();
    const matches = ({ labels }: Described) => labels?.app === "web";
    const { watcher, entries } = cache.listAndWatch({ matches, bookmarks: false, signal: abort.signal });
    expect(names(entries)).toEqual(["a/1"]);
    const seen = record(watcher);
    const left = await put("a/1", { node: "n2", labels: { app: "db" } });
    await cache.waitFresh();
    expect(seen.lines()).toEqual([`DELETED a/1 ${left}`]);
    const [event] = seen.events;
    expect(event?.type === "DELETED" && event.entry.labels).toEqual({ app: "web" });
    expect(event?.type === "DELETED" && JSON.parse(event.entry.json.toString()).spec.nodeName).toBe("n1");
    expect(cache.get("a", "1")?.labels).toEqual({ app: "db" });
  });

  test("share one event object among watchers with the same verdict", async () => {
    const { cache, put } = await setUp();
    await cache.waitFresh();
    const options = { after: cache.revision, bookmarks: false, signal: abort.signal };
    const [all, namespaced, node] = [
      record(cache.watch(options)),
      record(cache.watch({ ...options, namespace: "a" })),
      record(cache.watch({ ...options, fieldIndex: { field: "spec.nodeName", value: "n1" } })),
    ];
    await put("a/1", { node: "n1" });
    await cache.waitFresh();
    expect(all.events).toHaveLength(1);
    expect(namespaced.events[0]).toBe(all.events[0]);
    expect(node.events[0]).toBe(all.events[0]);
  });

  test("see a deletion and the recreation that follows in the same batch", async () => {
    const { cache, put, remove } = await setUp();
    await put("a/1");
    await cache.waitFresh();
    const seen = record(cache.watch({ after: cache.revision, bookmarks: false, signal: abort.signal }));
    const [gone, again] = await Promise.all([remove("a/1"), put("a/1")]);
    await cache.waitFresh();
    expect(seen.lines()).toEqual([`DELETED a/1 ${gone}`, `ADDED a/1 ${again}`]);
    expect(cache.get("a", "1")?.createRevision).toBe(again);
  });

  test("never give what is not after their start, even if the cache is behind", async () => {
    const { cache, put } = await setUp();
    await cache.waitFresh();
    const after = asRevision(cache.revision + 2);
    const seen = record(cache.watch({ after, bookmarks: false, signal: abort.signal }));
    await put("a/1");
    await put("a/2");
    const third = await put("a/3");
    await cache.waitFresh();
    expect(seen.lines()).toEqual([`ADDED a/3 ${third}`]);
  });

  test("hold events back while paused, and end when too many wait", async () => {
    const { cache, put } = await setUp();
    await cache.waitFresh();
    const options = { after: cache.revision, bookmarks: false, maxBuffered: 3, signal: abort.signal };
    const [patient, slow] = [cache.watch(options), cache.watch(options)];
    const [patientSeen, slowSeen] = [record(patient), record(slow)];
    patient.pause();
    slow.pause();
    for (let i = 0; i < 3; i++) await put(`a/${i}`);
    await cache.waitFresh();
    expect(patientSeen.events).toEqual([]);
    patient.resume();
    expect(patientSeen.events).toHaveLength(3);
    for (let i = 3; i < 5; i++) await put(`a/${i}`);
    await cache.waitFresh();
    slow.resume();
    expect([slowSeen.events, slowSeen.ends]).toEqual([[], ["slow"]]);
    expect([patientSeen.events.length, patientSeen.ends]).toEqual([5, []]);
    expect(cache.watcherCount).toBe(1);
  });

  test("do not count the past towards the bound", async () => {
    const { cache, put } = await setUp();
    await cache.waitFresh();
    const after = cache.revision;
    for (let i = 0; i < 10; i++) await put(`a/${i}`);
    await cache.waitFresh();
    const watcher = cache.watch({ after, bookmarks: false, maxBuffered: 1, signal: abort.signal });
    await put("a/x");
    await cache.waitFresh();
    const seen = record(watcher);
    expect([seen.events.length, seen.ends]).toEqual([11, []]);
  });

  test("get bookmarks at the cache's revision if they want them, and on demand", async () => {
    const { cache } = await setUp({ bookmarkIntervalMs: 20 });
    await cache.waitFresh();
    const options = { after: cache.revision, signal: abort.signal };
    const wanting = record(cache.watch({ ...options, bookmarks: true }));
    const other = cache.watch({ ...options, bookmarks: false });
    const otherSeen = record(other);
    const beside = await store.commit([], [{ type: "put", key: "/registry/beside", value: Buffer.from("x") }]);
    await expect.poll(() => wanting.lines()).toContain(`BOOKMARK ${beside.revision}`);
    expect(otherSeen.events).toEqual([]);
    other.bookmark();
    expect(otherSeen.lines()).toEqual([`BOOKMARK ${beside.revision}`]);
  });

  test("refuse a start that is older than the window", async () => {
    const { cache, put } = await setUp({ historySize: 3 });
    await cache.waitFresh();
    const start = cache.revision;
    const first = await put("a/1");
    for (let i = 0; i < 3; i++) await put(`a/x${i}`);
    await cache.waitFresh();
    const options = { bookmarks: false, signal: abort.signal };
    expect(() => cache.watch({ after: start, ...options })).toThrow(StoreError);
    expect(() => cache.watch({ after: start, ...options })).toThrow(/has been compacted/);
    expect(record(cache.watch({ after: first, ...options })).events).toHaveLength(3);
  });

  test("end with their signal, and with the cache", async () => {
    const { cache, put } = await setUp();
    const own = new AbortController();
    const options = { after: cache.revision, bookmarks: false };
    const one = record(cache.watch({ ...options, signal: own.signal }));
    const two = record(cache.watch({ ...options, signal: new AbortController().signal }));
    own.abort();
    await put("a/1");
    await cache.waitFresh();
    expect([one.events, one.ends]).toEqual([[], ["aborted"]]);
    abort.abort();
    expect([two.events.length, two.ends, cache.isReady()]).toEqual([1, ["stopped"], false]);
  });
});

describe("WatchCache descriptions", () => {
  test("left by a writer spare the parse", async () => {
    const describe = vi.fn(describePod);
    const { cache, prefix, put } = await setUp({ describe });
    const key = `${prefix}a/1`;
    const value = Buffer.from('{"metadata":{"name":"1"}}');
    const left = (revision: Revision): Described => ({
      json: withResourceVersion(value, revision),
      labels: { from: "writer" },
      fields: {},
    });
    const primed = await store.commit([], [{ type: "put", key, value }]);
    cache.prime(key, primed.revision, left(primed.revision));
    await cache.waitFresh();
    expect([cache.get("a", "1")?.labels, describe.mock.calls.length]).toEqual([{ from: "writer" }, 0]);
    cache.announce(key, value, left);
    const announced = await store.commit([], [{ type: "put", key, value }]);
    await cache.waitFresh();
    expect(cache.get("a", "1")).toMatchObject({ revision: announced.revision, labels: { from: "writer" } });
    expect(describe).not.toHaveBeenCalled();
    cache.announce(key, value, left);
    await put("a/1", { labels: { from: "another" } });
    await cache.waitFresh();
    expect(cache.get("a", "1")?.labels).toEqual({ from: "another" });
  });

  test("do not pin larger memory", async () => {
    const slab = Buffer.alloc(1 << 20);
    const { cache, put } = await setUp({
      describe: (_, value) => {
        value.copy(slab);
        return { json: slab.subarray(0, value.length), labels: undefined, fields: {} };
      },
    });
    await put("a/1");
    await cache.waitFresh();
    expect(cache.get("a", "1")?.json.buffer.byteLength).toBeLessThan(5000);
  });
});

describe("WatchCache without its store", () => {
  /** The real store, but with watches that can be broken. */
  function breakable() {
    let fault: StoreError | undefined;
    const breaks = new Set<(error: StoreError) => void>();
    const broken: Store = Object.create(store, {
      subscribe: { value: undefined },
      watch: {
        value: async function* (prefix: string, options: { after: Revision; signal: AbortSignal }) {
          if (fault !== undefined) throw fault;
          const inner = new AbortController();
          let error: StoreError | undefined;
          const stop = (with_: StoreError) => {
            error = with_;
            inner.abort();
          };
          breaks.add(stop);
          const signal = AbortSignal.any([options.signal, inner.signal]);
          yield* store.watch.call(store, prefix, { ...options, signal });
          breaks.delete(stop);
          if (error !== undefined) throw error;
        },
      },
      list: { value: store.list.bind(store) },
      revision: { value: store.revision.bind(store) },
    });
    return {
      store: broken,
      break(error: StoreError, stays: boolean) {
        fault = stays ? error : undefined;
        for (const stop of breaks) stop(error);
      },
      mend() {
        fault = undefined;
      },
    };
  }

  test("goes on where it was when the store comes back", async () => {
    const shaky = breakable();
    const { cache, put, remove } = await setUp({ store: shaky.store });
    await put("a/1");
    await cache.waitFresh();
    const seen = record(cache.watch({ after: cache.revision, bookmarks: false, signal: abort.signal }));
    shaky.break(new StoreError("Unavailable", "gone"), true);
    const revisions = [await put("a/2"), await remove("a/1"), await put("a/1")];
    shaky.mend();
    await cache.waitFresh();
    expect(seen.lines()).toEqual([
      `ADDED a/2 ${revisions[0]}`,
      `DELETED a/1 ${revisions[1]}`,
      `ADDED a/1 ${revisions[2]}`,
    ]);
    expect(seen.ends).toEqual([]);
  });

  test("lists anew and ends its watchers when history was compacted meanwhile", async () => {
    const shaky = breakable();
    const { cache, put, remove } = await setUp({ store: shaky.store });
    await put("a/1");
    await put("a/2");
    await cache.waitFresh();
    const before = cache.revision;
    const seen = record(cache.watch({ after: before, bookmarks: false, signal: abort.signal }));
    shaky.break(new StoreError("Unavailable", "gone"), true);
    await remove("a/1");
    await put("a/3");
    await store.compact(await store.revision());
    shaky.mend();
    await cache.waitFresh();
    expect(names(cache.list())).toEqual(["a/2", "a/3"]);
    expect([seen.events, seen.ends]).toEqual([[], ["expired"]]);
    expect(() => cache.watch({ after: before, bookmarks: false, signal: abort.signal })).toThrow(/compacted/);
    expect(cache.oldestRevision).toBe(cache.revision);
  });
});
