import { createHook } from "node:async_hooks";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { asRevision, openEmbeddedStore, openEtcdStore, type Revision, type Store } from "../src/index.ts";
import { collect, etcdAvailable, startEtcd } from "../src/testing/index.ts";

/** What keeps a store going: a timer, even one that does not keep the process alive, a turn of the event loop, a connection. */
const KINDS = new Set(["Timeout", "Immediate", "TCPWRAP", "TCPCONNECTWRAP", "GETADDRINFOREQWRAP", "TLSWRAP"]);
const OF_STORE = /packages\/storage\/src\/(?!testing\/)/;

const cleanUps: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** The resources that code of the store has created since the call and that still exist, as the lines that created them. */
function resourcesOfStore(): () => readonly string[] {
  const existing = new Map<number, string>();
  const hook = createHook({
    init(id, type) {
      if (!KINDS.has(type)) return;
      const line = new Error().stack?.split("\n").find((each) => OF_STORE.test(each));
      if (line !== undefined) existing.set(id, `${type} ${line.trim()}`);
    },
    destroy: (id) => void existing.delete(id),
  }).enable();
  cleanUps.push(() => void hook.disable());
  return () => [...existing.values()];
}

interface Engine {
  readonly name: string;
  readonly available: boolean;
  readonly open: () => Promise<Store>;
}

const engines: readonly Engine[] = [
  {
    name: "embedded",
    available: true,
    open() {
      const path = mkdtempSync(join(tmpdir(), "closed-store-"));
      cleanUps.push(() => rmSync(path, { recursive: true, force: true }));
      return openEmbeddedStore({ path, fsync: false });
    },
  },
  {
    name: "etcd",
    available: etcdAvailable(),
    async open() {
      const etcd = await startEtcd({ unsafeNoFsync: true });
      cleanUps.push(() => etcd.stop());
      return openEtcdStore({ servers: [etcd.url] });
    },
  },
];

/** Subscribes, and keeps the ends that are reported. */
function follow(store: Store, after: Revision) {
  const ends: unknown[] = [];
  const subscription = store.subscribe?.("/registry/", after, { onBatch() {}, onEnd: (error) => ends.push(error) });
  return { ends, subscription };
}

const put = (store: Store, key: string, ttlSeconds?: number) =>
  store.commit(
    [],
    [{ type: "put", key, value: Buffer.from("x"), ...(ttlSeconds === undefined ? {} : { ttlSeconds }) }],
  );

describe.each(engines.filter(({ available }) => available))("a closed $name store", ({ open }) => {
  test("keeps no timer, no turn of the event loop and no connection", async () => {
    const existing = resourcesOfStore();
    const store = await open();
    for (let i = 0; i < 20; i++) await put(store, `/registry/${i}`, i % 2 === 0 ? 3600 : undefined);
    const latest = await store.revision();
    const current = follow(store, latest);
    const behind = follow(store, asRevision(1));
    const watch = collect(store, "/registry/", latest);
    await put(store, "/registry/last");
    await watch.until((changes) => changes.length === 1);
    // Begun and not finished when the store is closed.
    const late = follow(store, asRevision(1));
    const calls = [store.revision(), store.list("/registry/"), put(store, "/registry/late")];
    expect(existing()).not.toEqual([]);
    await store.close();
    await Promise.allSettled([...calls, watch.done]);
    await expect.poll(() => [current.ends, behind.ends, late.ends]).toEqual([[undefined], [undefined], [undefined]]);
    await expect.poll(existing).toEqual([]);
    await store.close();
  }, 30_000);

  test("rejects calls, and ends what subscribes to it", async () => {
    const store = await open();
    await put(store, "/registry/a");
    await store.close();
    const unavailable = { name: "StoreError", reason: "Unavailable" };
    await expect(store.get("/registry/a")).rejects.toMatchObject(unavailable);
    await expect(store.list("/registry/")).rejects.toMatchObject(unavailable);
    await expect(put(store, "/registry/a")).rejects.toMatchObject(unavailable);
    await expect(store.revision()).rejects.toMatchObject(unavailable);
    for (const after of [1, 2, 100]) {
      const { ends, subscription } = follow(store, asRevision(after));
      expect(ends).toEqual([]);
      await expect.poll(() => ends).toMatchObject([unavailable]);
      const reached = Promise.withResolvers<void>();
      subscription?.whenReached(asRevision(1000), reached.resolve);
      await reached.promise;
      subscription?.close();
      expect(ends).toHaveLength(1);
    }
  }, 30_000);
});
