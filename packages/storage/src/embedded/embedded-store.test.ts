import { mkdtempSync, readdirSync, readlinkSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { asRevision } from "../revision.ts";
import type { Store } from "../store.ts";
import { storeContract } from "../testing/store-contract.ts";
import { embeddedSource } from "../transfer/embedded-source.ts";
import { markBytes, openTables } from "./database.ts";
import { openEmbeddedStore } from "./embedded-store.ts";

const directories: string[] = [];
const directory = () => {
  const made = mkdtempSync(join(tmpdir(), "embedded-"));
  directories.push(made);
  return join(made, "store");
};
afterEach(() => {
  for (const made of directories.splice(0)) rmSync(made, { recursive: true, force: true });
});

storeContract("embedded", async () => {
  const path = mkdtempSync(join(tmpdir(), "embedded-"));
  const store = await openEmbeddedStore({ path });
  return {
    store,
    async stop() {
      await store.close();
      rmSync(path, { recursive: true, force: true });
    },
  };
});

const put = (store: Store, key: string, value = "x") =>
  store.commit([], [{ type: "put", key, value: Buffer.from(value) }]);

/** The files of a folder that this process has open. */
const openFilesIn = (path: string): readonly string[] =>
  readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const file = readlinkSync(`/proc/self/fd/${fd}`);
      return file.startsWith(path) ? [file] : [];
    } catch {
      // Closed meanwhile, as that of the folder itself.
      return [];
    }
  });

describe("openEmbeddedStore", () => {
  test("starts at revision 1, in files that only the owner can read", async () => {
    const path = directory();
    const store = await openEmbeddedStore({ path });
    expect(await store.revision()).toBe(1);
    expect(await put(store, "/registry/a")).toEqual({ type: "committed", revision: 2 });
    await store.close();
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(statSync(join(path, "data.mdb")).mode & 0o777).toBe(0o600);
  });

  test("reads of keys that are too long find nothing, and writes are rejected", async () => {
    const store = await openEmbeddedStore({ path: directory() });
    await put(store, "/registry/a");
    const long = `/registry/${"é".repeat(4000)}`;
    expect(await store.get(long)).toBeUndefined();
    expect((await store.list(`${long}/`)).items).toEqual([]);
    expect((await store.list("/registry/", { after: long })).items).toEqual([]);
    await expect(put(store, long)).rejects.toMatchObject({ reason: "TooLarge" });
    await store.close();
  });

  test("counts more keys than are read in one turn", async () => {
    const store = await openEmbeddedStore({ path: directory(), fsync: false });
    const put = (n: number) => ({ type: "put", key: `/registry/a/${n}`, value: Buffer.alloc(0) }) as const;
    const keys = 25_001;
    await store.commit(
      [],
      Array.from({ length: keys }, (_, n) => put(n)),
    );
    expect(await store.count("/registry/a/")).toBe(keys);
    expect(await store.count("/registry/")).toBe(keys);
    expect(await store.count("/registry/b/")).toBe(0);
    for (const limit of [1, 4_999, 5_000, 5_001, 20_000]) {
      const { remaining } = await store.list("/registry/a/", { limit });
      expect(remaining).toBe(keys - limit);
    }
    await store.close();
  });

  test("keeps everything when it is closed and opened again", async () => {
    const path = directory();
    const store = await openEmbeddedStore({ path });
    await put(store, "/registry/a", "1");
    await put(store, "/registry/a", "2");
    await put(store, "/registry/b", "3");
    await store.close();
    const again = await openEmbeddedStore({ path });
    expect(await again.revision()).toBe(4);
    expect(String((await again.get("/registry/a", { revision: asRevision(2) }))?.value)).toBe("1");
    expect((await again.list("/registry/")).items.map((item) => String(item.value))).toEqual(["2", "3"]);
    await again.close();
  });

  test("rejects a directory that is in use, with its path and the process", async () => {
    const path = directory();
    const store = await openEmbeddedStore({ path });
    await expect(openEmbeddedStore({ path })).rejects.toThrow(
      `cannot open the embedded store "${path}": it is in use by process ${process.pid}`,
    );
    await store.close();
    await (await openEmbeddedStore({ path })).close();
  });

  test("rejects an unknown format", async () => {
    const path = directory();
    await (await openEmbeddedStore({ path })).close();
    const tables = openTables({ directory: path, fsync: false });
    tables.meta.putSync("format", markBytes(7));
    await tables.root.close();
    await expect(openEmbeddedStore({ path })).rejects.toThrow(/has format 7, and this version reads format 1 only/);
    await expect(embeddedSource(path)).rejects.toThrow(/has format 7, and this version reads format 1 only/);
    // The files are closed as well: lmdb shares an environment within a process, and would keep a removed one.
    expect(openFilesIn(path)).toEqual([]);
  });

  test("closes the files of a damaged store", async () => {
    const path = directory();
    const store = await openEmbeddedStore({ path });
    await put(store, "/registry/a");
    await store.close();
    const tables = openTables({ directory: path, fsync: false });
    tables.live.putSync("/registry/b", Buffer.alloc(1));
    await tables.root.close();
    await expect(embeddedSource(path)).rejects.toMatchObject({ name: "StoreError" });
    expect(openFilesIn(path)).toEqual([]);
  });

  test("rejects calls after it was closed", async () => {
    const store = await openEmbeddedStore({ path: directory() });
    await store.close();
    await expect(store.get("/a")).rejects.toMatchObject({ reason: "Unavailable" });
    await expect(put(store, "/a")).rejects.toMatchObject({ reason: "Unavailable" });
  });

  test("uses the space of compacted history for new writes", async () => {
    const store = await openEmbeddedStore({ path: directory(), fsync: false });
    const round = async () => {
      for (let i = 0; i < 10; i++) {
        await Promise.all(Array.from({ length: 100 }, (_, k) => put(store, `/registry/${k}`, "x".repeat(1000))));
      }
      await store.compact(await store.revision());
    };
    await round();
    await round();
    const size = (await store.sizeBytes()) ?? 0;
    for (let i = 0; i < 4; i++) await round();
    // Kept history would have tripled it.
    expect(await store.sizeBytes()).toBeLessThan(size * 1.2);
    expect(await store.count("/registry/")).toBe(100);
    await store.close();
  });

  test("compacts history beyond its limit automatically", async () => {
    const store = await openEmbeddedStore({ path: directory(), fsync: false, historyLimit: 100 });
    for (let i = 0; i < 150; i++) await put(store, "/registry/a", String(i));
    await expect
      .poll(() => store.get("/registry/a", { revision: asRevision(5) }).catch((e) => e.reason))
      .toBe("Compacted");
    expect(String((await store.get("/registry/a"))?.value)).toBe("149");
    await store.close();
  });
});
