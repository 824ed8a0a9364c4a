import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { asRevision, openEmbeddedStore, openEtcdStore, type Store } from "@orchernetes/storage";
import { embeddedSource, type Source, writeEmbedded } from "@orchernetes/storage/transfer";
import { etcdAvailable, type RunningEtcd, startEtcd } from "@orchernetes/testkit";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { contentOf, fillEmbedded, orchEtcd, temporaryFolder } from "./support.ts";

describe.skipIf(!etcdAvailable())("migrate (needs /usr/bin/etcd)", () => {
  const folder = temporaryFolder();
  const origin = join(folder, "origin");
  let content: Awaited<ReturnType<typeof fillEmbedded>>["content"];
  let revision: number;
  let etcd: RunningEtcd;
  const opened: Store[] = [];
  let names = 0;
  const newPath = () => join(folder, `store-${++names}`);
  const migrate = (to: "etcd" | "embedded", path: string, ...more: string[]) =>
    orchEtcd("migrate", "--to", to, "--embedded-store-path", path, "--etcd-servers", etcd.url, ...more);
  const openEtcd = async (prefix = "/registry") => {
    const store = await openEtcdStore({ servers: [etcd.url], prefix, root: "/registry" });
    opened.push(store);
    return store;
  };
  const openPath = async (path: string) => {
    const store = await openEmbeddedStore({ path });
    opened.push(store);
    return store;
  };
  const fresh = async () => {
    await etcd?.stop();
    etcd = await startEtcd({ unsafeNoFsync: true });
  };

  beforeAll(async () => {
    ({ content, revision } = await fillEmbedded(origin));
    await fresh();
    return () => etcd.stop();
  }, 60_000);
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
  });

  test("from the embedded store to etcd and back: every key has its value and its revisions", async () => {
    const there = await migrate("etcd", origin);
    expect(there).toMatchObject({
      code: 0,
      out: expect.stringContaining(`${content.length} keys of the embedded store`),
    });
    const inEtcd = await openEtcd();
    expect(await contentOf(inEtcd)).toEqual(content);
    // The delete of the mark has taken one revision.
    expect(await inEtcd.revision()).toBe(revision + 1);
    expect((await inEtcd.list("orch-etcd/")).items).toEqual([]);

    const back = newPath();
    expect(await migrate("embedded", back)).toMatchObject({ code: 0 });
    const again = await openPath(back);
    expect(await contentOf(again)).toEqual(content);
    expect(await again.revision()).toBe(revision + 1);
    const next = await again.commit([], [{ type: "put", key: "/registry/configmaps/a/0", value: Buffer.from("next") }]);
    expect(next.revision).toBe(revision + 2);
  }, 60_000);

  test("watches that start before the migration end with Compacted; those that start at its revision continue", async () => {
    const path = newPath();
    await migrate("embedded", path);
    for (const [store, latest] of [
      [await openEtcd(), revision],
      [await openPath(path), revision + 1],
    ] as const) {
      const old = store.watch("/registry/", { after: asRevision(latest - 1), signal: AbortSignal.timeout(10_000) });
      await expect(old[Symbol.asyncIterator]().next()).rejects.toMatchObject({ reason: "Compacted" });
      const present = store.watch("/registry/", { after: asRevision(latest), signal: AbortSignal.timeout(10_000) });
      const batches = present[Symbol.asyncIterator]();
      const batch = batches.next();
      const written = await store.commit([], [{ type: "put", key: "/registry/after", value: Buffer.from("x") }]);
      expect((await batch).value?.changes).toMatchObject([
        { key: "/registry/after", revision: written.revision, created: true },
      ]);
    }
  }, 30_000);

  test("a store with keys is overwritten by --overwrite only, and keys that cannot keep their revisions by --new-revisions only", async () => {
    await fresh();
    const inEtcd = await openEtcd();
    const put = (key: string) => inEtcd.commit([], [{ type: "put", key, value: Buffer.from("theirs") }]);
    await put("/registry/theirs");
    await put("/elsewhere");
    expect(await migrate("etcd", origin)).toMatchObject({
      code: 1,
      err: expect.stringContaining('etcd has 1 keys under "/registry"'),
    });
    expect((await inEtcd.get("/registry/theirs"))?.value.toString()).toBe("theirs");
    const exact = await migrate("etcd", origin, "--overwrite");
    expect(exact).toMatchObject({
      code: 1,
      err: expect.stringContaining("keys cannot keep their revisions: etcd is already at revision 3"),
    });
    expect((await inEtcd.get("/registry/theirs"))?.value.toString()).toBe("theirs");

    const anew = await migrate("etcd", origin, "--overwrite", "--new-revisions");
    expect(anew).toMatchObject({ code: 0, out: expect.stringContaining("at new revisions") });
    const written = await contentOf(inEtcd);
    const values = (keys: typeof written) => keys.map(({ key, value }) => [key, value]);
    expect(values(written)).toEqual(values(content));
    expect((await inEtcd.get("/elsewhere"))?.value.toString()).toBe("theirs");
    // The order of the changes stays, and all revisions are later than the earlier ones.
    const order = (keys: typeof written) =>
      keys.toSorted((a, b) => a.modRevision - b.modRevision).map(({ key }) => key);
    const alone = ({ key }: { key: string }) => !key.includes("secrets");
    expect(order(written.filter(alone))).toEqual(order(content.filter(alone)));
    expect(await inEtcd.revision()).toBeGreaterThan(revision);
    await expect(inEtcd.list("/registry/", { revision: asRevision(revision) })).rejects.toMatchObject({
      reason: "Compacted",
    });

    const target = newPath();
    await fillEmbedded(target);
    expect(await migrate("embedded", target)).toMatchObject({ code: 1, err: expect.stringContaining("is not empty") });
    expect(await migrate("embedded", target, "--overwrite")).toMatchObject({ code: 0 });
    expect(values(await contentOf(await openPath(target)))).toEqual(values(content));
    const other = newPath();
    mkdirSync(other);
    writeFileSync(join(other, "letter"), "dear");
    const refused = await migrate("embedded", other, "--overwrite");
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringContaining("contains something other than an embedded store"),
    });
    expect(readdirSync(other)).toEqual(["letter"]);
  }, 60_000);

  test("an embedded store that a server has open is neither read nor replaced", async () => {
    const path = newPath();
    await fillEmbedded(path);
    await openPath(path);
    expect(await migrate("etcd", path)).toMatchObject({
      code: 1,
      err: expect.stringContaining("it is in use by process"),
    });
    expect(await migrate("embedded", path, "--overwrite")).toMatchObject({
      code: 1,
      err: expect.stringContaining("it is in use by process"),
    });
  });

  test.each([
    { what: "a folder without a store", path: newPath, message: "there is no file data.mdb in it", more: [] },
    {
      what: "a prefix that is none",
      path: () => origin,
      message: "must start with a slash",
      more: ["--etcd-prefix", "/"],
    },
  ])("$what is refused", async ({ path, message, more }) => {
    expect(await migrate("etcd", path(), ...more)).toMatchObject({ code: 1, err: expect.stringContaining(message) });
  });

  test("other prefixes of the same etcd are not changed, and keys with a time to live keep one", async () => {
    await fresh();
    expect(await migrate("etcd", origin, "--etcd-prefix", "/tenant/")).toMatchObject({ code: 0 });
    const tenant = await openEtcd("/tenant");
    expect(await contentOf(tenant)).toEqual(content);
    expect((await (await openEtcd()).list("/registry/")).items).toEqual([]);
    const path = newPath();
    expect(await migrate("embedded", path, "--etcd-prefix", "/tenant")).toMatchObject({ code: 0 });
    const source = await embeddedSource(path);
    const ttls = source.entries.filter(({ ttlSeconds }) => ttlSeconds !== undefined);
    await source.close();
    expect(ttls.map(({ key }) => key)).toEqual(["/registry/events/a/e"]);
    expect(ttls[0]?.ttlSeconds).toBeGreaterThan(1700);
    expect(ttls[0]?.ttlSeconds).toBeLessThan(1800 + 3600 + 120);
  }, 30_000);

  test("a migration to etcd that was killed is continued by the next one, with the same revisions", async () => {
    await fresh();
    const path = newPath();
    await writeEmbedded(synthetic(12_000), { directory: path, overwrite: false, progress: () => {} });
    const inEtcd = await openEtcd();
    await killedWhen(
      ["migrate", "--to", "etcd", "--embedded-store-path", path, "--etcd-servers", etcd.url],
      async () => {
        return (await inEtcd.revision()) > 3000;
      },
    );
    const reached = await inEtcd.revision();
    expect(reached).toBeLessThan(12_000);
    await expect(openEtcd()).rejects.toMatchObject({
      reason: "Corrupt",
      message: expect.stringContaining("are incomplete: a migration was interrupted"),
    });
    const other = await migrate("etcd", origin);
    expect(other).toMatchObject({ code: 1, err: expect.stringContaining("from another source that was interrupted") });
    const again = await migrate("etcd", path);
    expect(again).toMatchObject({ code: 0, err: expect.stringContaining("continues after revision") });
    const entries = await contentOf(inEtcd);
    expect(entries.map(({ key, createRevision, modRevision }) => ({ key, createRevision, modRevision }))).toEqual(
      synthetic(12_000).entries,
    );
    expect(await inEtcd.revision()).toBe(12_001);
  }, 120_000);

  test("a migration to the embedded store that was killed leaves no store, and the next one creates it", async () => {
    await fresh();
    const inEtcd = await openEtcd();
    for (let i = 0; i < 300; i++)
      await inEtcd.commit(
        [],
        Array.from({ length: 20 }, (_, j) => ({ type: "put", key: `/registry/${i}/${j}`, value: Buffer.alloc(500) })),
      );
    const path = newPath();
    const unfinished = join(folder, `.${path.slice(folder.length + 1)}.unfinished`);
    const args = ["migrate", "--to", "embedded", "--embedded-store-path", path, "--etcd-servers", etcd.url];
    await killedWhen(args, async () => existsSync(join(unfinished, "data.mdb")));
    expect(existsSync(path)).toBe(false);
    expect(await migrate("embedded", path)).toMatchObject({ code: 0 });
    expect(existsSync(unfinished)).toBe(false);
    const store = await openPath(path);
    expect(await store.count("/registry/")).toBe(6000);
    expect(await store.revision()).toBe(await inEtcd.revision());
  }, 120_000);

  test("a source that changes during the migration is an error", async () => {
    await fresh();
    const inEtcd = await openEtcd();
    const write = (key: string) => inEtcd.commit([], [{ type: "put", key, value: Buffer.from("x") }]);
    await write("/registry/a");
    const path = newPath();
    const { etcdSource, EtcdTransport } = await import("@orchernetes/storage/transfer");
    const transport = new EtcdTransport({ servers: [etcd.url], requestTimeoutMs: 5000 });
    const source = await etcdSource({ transport, prefix: "/registry" });
    await write("/registry/b");
    await expect(writeEmbedded(source, { directory: path, overwrite: false, progress: () => {} })).rejects.toThrow(
      "has changed since revision 2",
    );
    transport.close();
    expect(existsSync(path)).toBe(false);
  });
});

/** A few keys with revisions far apart. */
function synthetic(revision: number): Source {
  const entries = [
    { key: "/registry/a", createRevision: 5, modRevision: 9000 },
    { key: "/registry/b", createRevision: 10_000, modRevision: 10_000 },
  ];
  return {
    name: "a store of a test",
    revision,
    entries,
    value: async ({ key }) => Buffer.from(key),
    unchanged: async () => {},
    close: async () => {},
  };
}

/** Starts the command and kills it as soon as `ready` is true. @throws Error if it exits before */
async function killedWhen(args: readonly string[], ready: () => Promise<boolean>): Promise<void> {
  const child = execFile(process.execPath, [join(import.meta.dirname, "../src/main.ts"), ...args]);
  const exited = new Promise<NodeJS.Signals | null>((resolve) => child.once("exit", (_, signal) => resolve(signal)));
  while (child.exitCode === null && !(await ready())) await new Promise((resolve) => setImmediate(resolve));
  child.kill("SIGKILL");
  if ((await exited) !== "SIGKILL") throw new Error("the command ended before it could be killed");
}
