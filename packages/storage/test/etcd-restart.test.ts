import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { asRevision, isStoreError, openEtcdStore, type Revision, type Store, WatchCache } from "../src/index.ts";
import { collect, etcdAvailable, type RunningEtcd, startEtcd } from "../src/testing/index.ts";

const skip = !etcdAvailable();
const title = skip ? "etcd store (skipped: /usr/bin/etcd is not installed)" : "etcd store";

describe.skipIf(skip)(title, () => {
  let etcd: RunningEtcd;
  let store: Store;
  beforeAll(async () => {
    etcd = await startEtcd();
    store = await openEtcdStore({ servers: [etcd.url], requestTimeoutMs: 2000 });
  }, 30_000);
  afterAll(async () => {
    await store?.close();
    await etcd?.stop();
  });

  const put = async (key: string, value: string): Promise<Revision> => {
    const result = await store.commit([], [{ type: "put", key, value: Buffer.from(value) }]);
    return result.revision;
  };
  const until = async <T>(attempt: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await attempt();
      } catch (error) {
        if (!isStoreError(error, "Unavailable") && !isStoreError(error, "Timeout")) throw error;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  };

  test("no watcher misses, repeats or reorders a change when etcd is killed and restarted", async () => {
    const prefix = "/registry/restart/";
    const after = await store.revision();
    const early = collect(store, prefix, after);
    let stop = false;
    const written: Revision[] = [];
    const writer = async (name: number) => {
      for (let i = 0; !stop; i++) written.push(await until(() => put(`${prefix}${name}`, String(i))));
    };
    const writers = Promise.all([0, 1, 2, 3].map(writer));
    for (let round = 0; round < 2; round++) {
      await new Promise((resolve) => setTimeout(resolve, 150));
      await etcd.kill9();
      await etcd.restart();
    }
    await new Promise((resolve) => setTimeout(resolve, 150));
    stop = true;
    await writers;
    const last = await until(() => store.revision());
    const late = collect(store, prefix, after);
    for (const watcher of [early, late]) {
      await watcher.until((_, revision) => revision >= last, 10_000);
      await watcher.stop();
      // All writes of this store go to the prefix: every revision is a change of it, also the ones whose answer got lost.
      expect(watcher.changes.map((change) => change.revision)).toEqual(
        Array.from({ length: last - after }, (_, i) => after + 1 + i),
      );
    }
    const seen = new Set(early.changes.map((change) => change.revision));
    expect(written.filter((revision) => !seen.has(revision))).toEqual([]);
  }, 30_000);

  test("a watch cache continues after a restart", async () => {
    const abort = new AbortController();
    const prefix = "/registry/cached/";
    const cache = new WatchCache({
      store,
      prefix,
      namespaced: false,
      describe: (_, json) => ({ json, labels: undefined, fields: {} }),
      signal: abort.signal,
    });
    cache.start();
    await cache.ready();
    await put(`${prefix}a`, '{"metadata":{}}');
    await cache.waitFresh();
    const types: string[] = [];
    const watcher = cache.watch({ after: cache.revision, bookmarks: false, signal: abort.signal });
    watcher.onEvents((events) => types.push(...events.map((event) => event.type)));
    await etcd.kill9();
    await expect(store.health(AbortSignal.timeout(200))).rejects.toMatchObject({ name: "StoreError" });
    await etcd.restart();
    await until(() => put(`${prefix}a`, '{"metadata":{"x":1}}'));
    await until(() => store.commit([], [{ type: "delete", key: `${prefix}a` }]));
    await until(() => cache.waitFresh());
    expect([types, cache.size]).toEqual([["MODIFIED", "DELETED"], 0]);
    abort.abort();
  }, 30_000);

  test("opening fails in time if no server can be reached", async () => {
    const started = Date.now();
    await expect(openEtcdStore({ servers: ["http://127.0.0.1:1"], dialTimeoutMs: 300 })).rejects.toMatchObject({
      name: "StoreError",
      reason: expect.stringMatching(/Unavailable|Timeout/),
    });
    expect(Date.now() - started).toBeLessThan(5000);
  });

  test("uses the next server if the first one cannot be reached", async () => {
    const two = await openEtcdStore({ servers: ["http://127.0.0.1:1", etcd.url], dialTimeoutMs: 5000 });
    const before = await two.revision();
    const seen = collect(two, "/registry/two/", before);
    const result = await two.commit([], [{ type: "put", key: "/registry/two/a", value: Buffer.from("x") }]);
    await seen.until((_, revision) => revision >= result.revision);
    expect(seen.changes).toHaveLength(1);
    await seen.stop();
    await two.close();
  });

  test("keys with the same time to live share a lease", async () => {
    const key = (i: number) => `/registry/events/${i}`;
    await Promise.all(
      [0, 1, 2].map((i) => store.commit([], [{ type: "put", key: key(i), value: Buffer.from("x"), ttlSeconds: 3600 }])),
    );
    const leases = await etcdLeases(etcd.url);
    expect(leases).toHaveLength(1);
    // One that someone revoked is replaced without the writer noticing.
    await revoke(etcd.url, leases[0] ?? "");
    expect((await store.list("/registry/events/")).items).toEqual([]);
    await store.commit([], [{ type: "put", key: key(3), value: Buffer.from("x"), ttlSeconds: 3600 }]);
    expect((await store.list("/registry/events/")).items).toHaveLength(1);
  });

  test("an exhausted quota is NoSpace", async () => {
    const small = await startEtcd({ unsafeNoFsync: true, args: ["--quota-backend-bytes", String(1 << 20)] });
    const full = await openEtcdStore({ servers: [small.url] });
    const value = Buffer.alloc(200_000);
    const fill = async () => {
      // etcd learns its size only with each of its own batches, a tenth of a second apart.
      for (let i = 0; i < 200; i++) {
        await full.commit([], [{ type: "put", key: `/registry/${i % 20}`, value }]);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    };
    await expect(fill()).rejects.toMatchObject({ name: "StoreError", reason: "NoSpace" });
    expect((await full.list("/registry/", { limit: 1, revision: asRevision(2) })).items).toHaveLength(1);
    await full.close();
    await small.stop();
  }, 30_000);
});

async function etcdLeases(url: string): Promise<string[]> {
  const answer = await fetch(`${url}/v3/lease/leases`, { method: "POST", body: "{}" });
  const { leases = [] } = (await answer.json()) as { leases?: { ID: string }[] };
  return leases.map(({ ID }) => ID);
}

async function revoke(url: string, id: string): Promise<void> {
  await fetch(`${url}/v3/lease/revoke`, { method: "POST", body: JSON.stringify({ ID: id }) });
}
