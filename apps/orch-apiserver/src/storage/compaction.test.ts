import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEmbeddedStore, type Revision, type Store } from "@orchernetes/storage";
import { afterAll, beforeAll, expect, test } from "vitest";
import { OwnCompaction, SharedCompaction } from "./compaction.ts";

let dir: string;
let store: Store;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "compaction-"));
  store = await openEmbeddedStore({ path: dir, fsync: false });
});
afterAll(async () => {
  await store.close();
  rmSync(dir, { recursive: true, force: true });
});

const write = async (): Promise<Revision> =>
  (await store.commit([], [{ type: "put", key: "/registry/x/a", value: Buffer.from("{}") }])).revision;

test("of several servers one compacts per round, and only what was there a round ago", async () => {
  const servers = [new SharedCompaction(store), new SharedCompaction(store), new SharedCompaction(store)];
  let before = 0;
  for (let round = 0; round < 5; round++) {
    const written = await write();
    const turns: (Revision | undefined)[] = [];
    for (const server of servers) turns.push(await server.turn());
    const compacted = turns.filter((revision) => revision !== undefined);
    expect(compacted.length, `round ${round}: ${turns.join()}`).toBe(round === 0 ? 0 : 1);
    for (const revision of compacted) {
      expect(revision).toBeGreaterThanOrEqual(before);
      expect(revision).toBeLessThan(written);
    }
    before = written;
  }
});

test("another server continues when the one that compacted has stopped", async () => {
  const [first, second] = [new SharedCompaction(store), new SharedCompaction(store)];
  for (let i = 0; i < 3; i++) {
    await first.turn();
    await second.turn();
  }
  await write();
  await second.turn();
  await write();
  expect(await second.turn()).toBeDefined();
});

test("a store of one's own is compacted each turn", async () => {
  const own = new OwnCompaction(store);
  expect(await own.turn()).toBeUndefined();
  const upTo = await store.revision();
  await write();
  expect(await own.turn()).toBe(upTo);
  await expect(store.get("/registry/x/a", { revision: (upTo - 1) as Revision })).rejects.toMatchObject({
    reason: "Compacted",
  });
});
