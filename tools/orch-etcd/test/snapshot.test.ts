import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openEmbeddedStore, openEtcdStore, type Store } from "@orchernetes/storage";
import { etcdAvailable, type RunningEtcd, startEtcd } from "@orchernetes/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { contentOf, orchEtcd, temporaryFolder } from "./support.ts";

const HASH_BYTES = 32;

describe.skipIf(!etcdAvailable())("snapshot (needs /usr/bin/etcd)", () => {
  const folder = temporaryFolder();
  const file = join(folder, "saved.db");
  let etcd: RunningEtcd;
  let store: Store;
  let content: Awaited<ReturnType<typeof contentOf>>;
  const save = (path: string, ...more: string[]) =>
    orchEtcd("snapshot", "save", path, "--etcd-servers", etcd.url, ...more);
  const restore = (path: string, name: string) =>
    orchEtcd("snapshot", "restore", path, "--to", "embedded", "--embedded-store-path", join(folder, name));

  beforeAll(async () => {
    etcd = await startEtcd({ unsafeNoFsync: true });
    store = await openEtcdStore({ servers: [etcd.url] });
    const write = (key: string, value: Buffer, ttlSeconds?: number) =>
      store.commit(
        [],
        [{ type: "put", key: `/registry/${key}`, value, ...(ttlSeconds === undefined ? {} : { ttlSeconds }) }],
      );
    // Enough for branches, overflow pages and freed pages.
    for (let i = 0; i < 1500; i++) await write(`a/${i}`, Buffer.alloc(300, i));
    for (let i = 0; i < 1500; i += 7) await store.commit([], [{ type: "delete", key: `/registry/a/${i}` }]);
    for (let i = 0; i < 5; i++) await write("a/large", Buffer.alloc(700_000, i));
    await write("a/1", Buffer.alloc(0));
    await write("events/e", Buffer.from("e"), 3600);
    await write("a/7", Buffer.from("created again"));
    await store.compact(await store.revision());
    for (let i = 1; i < 1500; i += 7) await store.commit([], [{ type: "delete", key: `/registry/a/${i}` }]);
    content = await contentOf(store);
    expect(await save(file)).toMatchObject({ code: 0, out: expect.stringContaining("the checksum is right") });
  }, 120_000);
  afterAll(async () => {
    await store?.close();
    await etcd?.stop();
  });

  test("a snapshot ends with the checksum of its content, and no other file is left", () => {
    const bytes = readFileSync(file);
    const hash = createHash("sha256").update(bytes.subarray(0, -HASH_BYTES)).digest();
    expect(bytes.subarray(-HASH_BYTES).equals(hash)).toBe(true);
    expect(readdirSync(folder)).toContain("saved.db");
    expect(existsSync(`${file}.unfinished`)).toBe(false);
  });

  test("restored into an embedded store, every key has its value and its revisions", async () => {
    expect(await restore(file, "restored")).toMatchObject({
      code: 0,
      out: expect.stringContaining(`${content.length} keys of the snapshot`),
    });
    const restored = await openEmbeddedStore({ path: join(folder, "restored") });
    expect(await contentOf(restored)).toEqual(content);
    expect(await restored.revision()).toBe(await store.revision());
    await restored.close();
  }, 30_000);

  test("restored into a new etcd as well", async () => {
    const other = await startEtcd({ unsafeNoFsync: true });
    expect(await orchEtcd("snapshot", "restore", file, "--to", "etcd", "--etcd-servers", other.url)).toMatchObject({
      code: 0,
    });
    const restored = await openEtcdStore({ servers: [other.url] });
    expect(await contentOf(restored)).toEqual(content);
    await restored.close();
    await other.stop();
  }, 60_000);

  test("an existing file is overwritten by --overwrite only", async () => {
    const path = join(folder, "precious");
    writeFileSync(path, "precious");
    expect(await save(path)).toMatchObject({ code: 1, err: expect.stringContaining("exists") });
    expect(readFileSync(path, "utf8")).toBe("precious");
    expect(await save(path, "--overwrite")).toMatchObject({ code: 0 });
    copyFileSync(path, file);
  });

  /** Writes the bytes and their checksum. */
  const signed = (bytes: Buffer) => Buffer.concat([bytes, createHash("sha256").update(bytes).digest()]);
  const pageSize = () => readFileSync(file).readUInt32LE(24);
  test.each<[string, (bytes: Buffer) => Buffer, string]>([
    ["a byte is changed", (bytes) => flipped(bytes, 5000), "its checksum is not the one that etcd appended"],
    ["its end is missing", (bytes) => bytes.subarray(0, bytes.length - 10_000), "do not end with a checksum"],
    ["the last page is missing", (bytes) => bytes.subarray(0, bytes.length - 4096), "its checksum is not"],
    ["it is empty", () => Buffer.alloc(0), "do not end with a checksum"],
    ["it is text", () => Buffer.from("no snapshot\n".repeat(1000)), "do not end with a checksum"],
    ["it is of zeros", () => signed(Buffer.alloc(65_536)), "does not begin with a page of etcd's database"],
    [
      "both of its meta pages are damaged",
      (bytes) => signed(flipped(flipped(bytes.subarray(0, -HASH_BYTES), 40), pageSize() + 40)),
      "neither of its two meta pages",
    ],
    ["it is cut, with a new checksum", (bytes) => signed(bytes.subarray(0, pageSize() * 8)), "it ends after"],
    [
      "its pages are damaged",
      (bytes) =>
        signed(
          Buffer.concat([
            bytes.subarray(0, pageSize() * 2),
            Buffer.alloc(bytes.length - pageSize() * 2 - HASH_BYTES, 0xff),
          ]),
        ),
      "is damaged",
    ],
  ])("a snapshot is refused when %s", async (_, damage, message) => {
    const path = join(folder, "damaged.db");
    writeFileSync(path, damage(readFileSync(file)));
    const { code, err } = await restore(path, "from-damaged");
    expect(code).toBe(1);
    expect(err).toContain(message);
    expect(existsSync(join(folder, "from-damaged"))).toBe(false);
  });

  test("a snapshot with a random damaged byte is restored or rejected with a message", async () => {
    const bytes = readFileSync(file).subarray(0, -HASH_BYTES);
    const path = join(folder, "random.db");
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    for (let round = 0; round < 20; round++) {
      const damaged = Buffer.from(bytes);
      for (let i = 0; i < 40; i++) damaged[2 * pageSize() + random(damaged.length / 4)] = random(256);
      writeFileSync(path, signed(damaged));
      const { code, err } = await restore(path, "from-random");
      // Damage in a value or a free page is not detected, because the checksum was computed after it.
      if (code === 1) expect(err).toMatch(/cannot be read as a snapshot of etcd: |has no keys/);
      execFileSync("rm", ["-rf", join(folder, "from-random")]);
    }
  }, 120_000);

  test("a full disk is reported, and nothing is left of the file or the store (needs mount)", async ({ skip }) => {
    const disk = join(folder, "disk");
    mkdirSync(disk);
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], { stdio: "ignore" });
    } catch {
      skip();
    }
    try {
      const { code, err } = await save(join(disk, "saved.db"));
      expect(code).toBe(1);
      expect(err).toContain("ENOSPC");
      expect(readdirSync(disk)).toEqual([]);
      const restored = await restore(file, "disk/store");
      expect(restored.code).toBe(1);
      expect(restored.err).toContain("its disk is full");
      expect(readdirSync(disk)).toEqual([]);
    } finally {
      execFileSync("umount", [disk]);
    }
  });
});

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 0xff;
  return copy;
}
