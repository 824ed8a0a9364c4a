import { Etcd3 } from "etcd3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openEtcdStore, type Store } from "../src/index.ts";
import { collect, etcdAvailable, type RunningEtcd, startEtcd } from "../src/testing/index.ts";

const skip = !etcdAvailable();
const title = skip ? "etcd3 beside the store (skipped: /usr/bin/etcd is not installed)" : "etcd3 beside the store";

/**
 * The store's connection to etcd is our own (ADR 11). Here the whole etcd3 client, with its own, looks at the same etcd: what it
 * reads must be what the store wrote, and what it writes must be what the store reads.
 */
describe.skipIf(skip)(title, () => {
  let etcd: RunningEtcd;
  let store: Store;
  let other: Etcd3;
  beforeAll(async () => {
    etcd = await startEtcd();
    store = await openEtcdStore({ servers: [etcd.url], requestTimeoutMs: 5000 });
    other = new Etcd3({ hosts: [etcd.url] });
  }, 30_000);
  afterAll(async () => {
    other?.close();
    await store?.close();
    await etcd?.stop();
  });

  const bytes = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
  const large = Buffer.alloc(900_000, "x");

  test.each([
    ["/registry/agree/empty", Buffer.alloc(0)],
    ["/registry/agree/bytes", bytes],
    ["/registry/agree/large", large],
    ["/registry/agree/ünïcode", Buffer.from("{}")],
  ])("%s is read by etcd3 as it was written, and the other way round", async (key, value) => {
    const written = await store.commit([{ key, modRevision: 0 }], [{ type: "put", key, value }]);
    expect(written.type).toBe("committed");
    const seen = await other.get(key).exec();
    expect(seen.kvs.map((kv) => [kv.key.toString(), kv.value.equals(value), Number(kv.mod_revision)])).toEqual([
      [key, true, written.revision],
    ]);

    const put = await other
      .put(key)
      .value(Buffer.concat([value, bytes]))
      .exec();
    const read = await store.get(key);
    expect(read?.value.equals(Buffer.concat([value, bytes]))).toBe(true);
    expect([read?.modRevision, read?.createRevision]).toEqual([Number(put.header.revision), written.revision]);
  });

  test("a conflict returns what etcd3 has written meanwhile", async () => {
    const key = "/registry/agree/conflict";
    const first = await store.commit([], [{ type: "put", key, value: Buffer.from("ours") }]);
    await other.put(key).value("theirs");
    const second = await store.commit([{ key, modRevision: first.revision }], [{ type: "delete", key }]);
    expect(second.type === "conflict" && second.current.map((found) => found?.value.toString())).toEqual(["theirs"]);
    expect(await other.get(key).string()).toBe("theirs");
  });

  test("a watch of the store delivers etcd3's writes, deletes and transactions in order", async () => {
    const prefix = "/registry/agree-watch/";
    const watcher = collect(store, prefix, await store.revision());
    await other.put(`${prefix}a`).value("1");
    await other.put(`${prefix}b`).value("2");
    await other
      .if(`${prefix}a`, "Value", "==", "1")
      .then(other.delete().key(`${prefix}a`), other.put(`${prefix}b`).value("3"))
      .commit();
    const last = await store.revision();
    await watcher.until((_, revision) => revision >= last, 10_000);
    await watcher.stop();
    const seen = watcher.changes.map((change) =>
      change.type === "put" ? `${change.key}=${change.value}${change.created ? " new" : ""}` : `${change.key} deleted`,
    );
    expect(seen.slice(0, 2)).toEqual([`${prefix}a=1 new`, `${prefix}b=2 new`]);
    expect(seen.slice(2).sort()).toEqual([`${prefix}a deleted`, `${prefix}b=3`]);
  });

  test("a key with a time to live has a lease that etcd3 sees, and is deleted with it", async () => {
    const key = "/registry/agree/lease";
    await store.commit([], [{ type: "put", key, value: Buffer.from("{}"), ttlSeconds: 600 }]);
    const [kv] = (await other.get(key).exec()).kvs;
    const id = kv?.lease ?? "0";
    const lease = await other.leaseClient.leaseTimeToLive({ ID: id, keys: true });
    expect(Number(lease.grantedTTL)).toBeGreaterThanOrEqual(600);
    expect(lease.keys.map(String)).toEqual([key]);
    await other.leaseClient.leaseRevoke({ ID: id });
    expect(await store.get(key)).toBeUndefined();
  });

  test("history that etcd3 has compacted is compacted for the store as well", async () => {
    const key = "/registry/agree/compact";
    const old = await store.commit([], [{ type: "put", key, value: Buffer.from("1") }]);
    await store.commit([], [{ type: "put", key, value: Buffer.from("2") }]);
    await other.kv.compact({ revision: String(await store.revision()), physical: true });
    await expect(store.get(key, { revision: old.revision })).rejects.toMatchObject({ reason: "Compacted" });
    expect((await store.get(key))?.value.toString()).toBe("2");
  });
});
