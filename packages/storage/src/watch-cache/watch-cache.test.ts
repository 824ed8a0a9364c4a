import { silentLogger } from "@orchernetes/kernel";
import { describe, expect, test, vi } from "vitest";
import { StoreError } from "../errors.ts";
import { asRevision, type Revision } from "../revision.ts";
import type { Store } from "../store.ts";
import { describePod, names, podCaches, record } from "../testing/pod-caches.ts";
import type { Described } from "./entry.ts";
import { withResourceVersion } from "./resource-version.ts";
import { WatchCache } from "./watch-cache.ts";

const caches = podCaches();

describe("WatchCache lists", () => {
  test("objects in key order, by namespace and by indexed or unindexed field", async () => {
    const { cache, put, remove } = await caches.setUp();
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

  test("do not change after they are returned", async () => {
    const { cache, put, remove } = await caches.setUp();
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

  test("contain the revisions of creation and modification, also after restarts of the cache", async () => {
    const { cache, prefix, put } = await caches.setUp();
    const created = await put("a/1");
    const updated = await put("a/1", { labels: {} });
    await cache.waitFresh();
    const want = { key: `${prefix}a/1`, createRevision: created, revision: updated };
    expect(cache.get("a", "1")).toMatchObject(want);
    const other = new WatchCache({
      store: caches.store,
      prefix,
      namespaced: true,
      describe: describePod,
      signal: caches.signal,
    });
    other.start();
    await other.ready();
    expect(other.get("a", "1")).toMatchObject(want);
  });

  test("keep order and content through thousands of changes in any order", async () => {
    const { cache, prefix } = await caches.setUp();
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
          return caches.store.commit([], [type === "put" ? { type, key, value } : { type, key }]);
        }),
      );
    }
    await cache.waitFresh();
    expect(names(cache.list())).toEqual([...alive].toSorted());
    expect(names(cache.list({ namespace: "ns-1" }))).toEqual(
      [...alive].filter((n) => n.startsWith("ns-1/")).toSorted(),
    );
  });

  test("skip objects that cannot be decoded, and log each of them", async () => {
    const error = vi.fn();
    const { cache, put, prefix } = await caches.setUp({ logger: { ...silentLogger, error } });
    await put("a/1");
    await caches.store.commit([], [{ type: "put", key: `${prefix}a/2`, value: Buffer.from("not json") }]);
    await cache.waitFresh();
    expect(names(cache.list())).toEqual(["a/1"]);
    expect(error).toHaveBeenCalledWith(
      expect.any(Error),
      expect.stringContaining("cannot be decoded"),
      expect.objectContaining({ key: `${prefix}a/2` }),
    );
  });
});

describe("WatchCache waits", () => {
  test("for earlier writes to any key", async () => {
    const { cache, put } = await caches.setUp();
    for (let i = 0; i < 20; i++) {
      const revision = await put(`a/${i}`);
      expect(await cache.waitFresh()).toBe(revision);
      expect(cache.get("a", String(i))?.revision).toBe(revision);
      const beside = await caches.store.commit([], [{ type: "put", key: "/registry/beside", value: Buffer.from("x") }]);
      await cache.waitFresh();
      expect(cache.revision).toBe(beside.revision);
    }
  });

  test("not longer than the timeout", async () => {
    const { cache } = await caches.setUp();
    await expect(cache.waitFor(asRevision(9_999_999), 20)).rejects.toMatchObject({
      reason: "Timeout",
      message: expect.stringMatching(/^Too large resource version: 9999999, current: \d+$/),
    });
    caches.abort();
    await expect(cache.waitFor(asRevision(9_999_999), 1000)).rejects.toMatchObject({ reason: "Unavailable" });
  });

  test("and says what prevents it from being filled, such as a value that cannot be decrypted", async () => {
    const { store, signal } = caches;
    let readable = false;
    const unreadable = new StoreError("Corrupt", 'the value of "/registry/secrets/a/b" cannot be decrypted');
    const partial: Store = Object.assign(Object.create(store), {
      list: (...args: Parameters<Store["list"]>) => (readable ? store.list(...args) : Promise.reject(unreadable)),
      revision: () => store.revision(),
      watch: (...args: Parameters<Store["watch"]>) => store.watch(...args),
    });
    const prefix = "/registry/secrets/";
    const cache = new WatchCache({ store: partial, prefix, namespaced: true, describe: describePod, signal });
    cache.start();
    const cause = {
      reason: "Corrupt",
      message: `the watch cache of /registry/secrets/ cannot be filled: ${unreadable.message}`,
    };
    await expect(cache.waitFresh(undefined, 50)).rejects.toMatchObject(cause);
    // What is known is not waited for.
    await expect(cache.waitFresh(undefined, 60_000)).rejects.toMatchObject(cause);
    readable = true;
    await cache.ready();
    await cache.waitFresh();
  });
});

describe("WatchCache descriptions", () => {
  test("of a writer make parsing unnecessary", async () => {
    const describe = vi.fn(describePod);
    const { cache, prefix, put } = await caches.setUp({ describe });
    const key = `${prefix}a/1`;
    const value = Buffer.from('{"metadata":{"name":"1"}}');
    const left = (revision: Revision): Described => ({
      json: withResourceVersion(value, revision),
      labels: { from: "writer" },
      fields: {},
    });
    const primed = await caches.store.commit([], [{ type: "put", key, value }]);
    cache.prime(key, primed.revision, left(primed.revision));
    await cache.waitFresh();
    expect([cache.get("a", "1")?.labels, describe.mock.calls.length]).toEqual([{ from: "writer" }, 0]);
    cache.announce(key, value, left);
    const announced = await caches.store.commit([], [{ type: "put", key, value }]);
    await cache.waitFresh();
    expect(cache.get("a", "1")).toMatchObject({ revision: announced.revision, labels: { from: "writer" } });
    expect(describe).not.toHaveBeenCalled();
    cache.announce(key, value, left);
    await put("a/1", { labels: { from: "another" } });
    await cache.waitFresh();
    expect(cache.get("a", "1")?.labels).toEqual({ from: "another" });
  });

  test("do not retain larger buffers", async () => {
    const slab = Buffer.alloc(1 << 20);
    const { cache, put } = await caches.setUp({
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
    let injected: StoreError | undefined;
    const breaks = new Set<(error: StoreError) => void>();
    const broken: Store = Object.create(caches.store, {
      subscribe: { value: undefined },
      watch: {
        value: async function* (prefix: string, options: { after: Revision; signal: AbortSignal }) {
          if (injected !== undefined) throw injected;
          const inner = new AbortController();
          let error: StoreError | undefined;
          const stop = (with_: StoreError) => {
            error = with_;
            inner.abort();
          };
          breaks.add(stop);
          const signal = AbortSignal.any([options.signal, inner.signal]);
          yield* caches.store.watch.call(caches.store, prefix, { ...options, signal });
          breaks.delete(stop);
          if (error !== undefined) throw error;
        },
      },
      list: { value: caches.store.list.bind(caches.store) },
      revision: { value: caches.store.revision.bind(caches.store) },
    });
    return {
      store: broken,
      break(error: StoreError, stays: boolean) {
        injected = stays ? error : undefined;
        for (const stop of breaks) stop(error);
      },
      mend() {
        injected = undefined;
      },
    };
  }

  test("resumes from its revision when the store responds again", async () => {
    const shaky = breakable();
    const { cache, put, remove } = await caches.setUp({ store: shaky.store });
    await put("a/1");
    await cache.waitFresh();
    const seen = record(cache.watch({ after: cache.revision, bookmarks: false, signal: caches.signal }));
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

  test("lists again and ends its watchers when history was compacted meanwhile", async () => {
    const shaky = breakable();
    const { cache, put, remove } = await caches.setUp({ store: shaky.store });
    await put("a/1");
    await put("a/2");
    await cache.waitFresh();
    const before = cache.revision;
    const seen = record(cache.watch({ after: before, bookmarks: false, signal: caches.signal }));
    shaky.break(new StoreError("Unavailable", "gone"), true);
    await remove("a/1");
    await put("a/3");
    await caches.store.compact(await caches.store.revision());
    shaky.mend();
    await cache.waitFresh();
    expect(names(cache.list())).toEqual(["a/2", "a/3"]);
    expect([seen.events, seen.ends]).toEqual([[], ["expired"]]);
    expect(() => cache.watch({ after: before, bookmarks: false, signal: caches.signal })).toThrow(/compacted/);
    expect(cache.oldestRevision).toBe(cache.revision);
  });
});
