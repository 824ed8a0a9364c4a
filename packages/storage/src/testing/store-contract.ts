import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isStoreError } from "../errors.ts";
import { asRevision, type Revision } from "../revision.ts";
import type { Change, Compare, Op, Store, WatchBatch } from "../store.ts";

/** A store under test, which is empty except for what earlier tests of the same suite wrote. */
export interface StoreUnderTest {
  readonly store: Store;
  /** Closes the store and stops the engine. */
  stop(): Promise<void>;
}

/** The options of {@link storeContract}. */
export interface StoreContractOptions {
  /** Why the suite is skipped, which is printed; undefined runs it. */
  readonly skip?: string | undefined;
}

/** Defines the tests that every Store must pass. Each test uses its own prefix, so the store need not be empty. */
export function storeContract(
  name: string,
  open: () => Promise<StoreUnderTest>,
  options: StoreContractOptions = {},
): void {
  const suite = options.skip === undefined ? describe : describe.skip;
  suite(options.skip === undefined ? `${name} store` : `${name} store (skipped: ${options.skip})`, () => {
    let under: StoreUnderTest;
    let store: Store;
    let counter = 0;
    const fresh = () => `/registry/contract-${++counter}/`;

    beforeAll(async () => {
      under = await open();
      store = under.store;
    }, 30_000);
    afterAll(async () => under?.stop());

    const put = async (key: string, value: string, compare: readonly Compare[] = [], ttlSeconds?: number) =>
      revisionOf(await store.commit(compare, [putOp(key, value, ttlSeconds)]));
    const remove = async (key: string) => revisionOf(await store.commit([], [{ type: "delete", key }]));

    test("returns undefined for an unknown key, and the latest value of a known one", async () => {
      const key = `${fresh()}a`;
      expect(await store.get(key)).toBeUndefined();
      const created = await put(key, "one");
      const updated = await put(key, "two");
      expect(updated).toBeGreaterThan(created);
      const read = await store.get(key);
      expect({ ...read, value: String(read?.value) }).toEqual({
        key,
        value: "two",
        modRevision: updated,
        createRevision: created,
      });
      expect(String((await store.get(key, { revision: created }))?.value)).toBe("one");
    });

    test("a key that is created again after a delete has a new createRevision", async () => {
      const key = `${fresh()}a`;
      await put(key, "one");
      const gone = await remove(key);
      expect(await store.get(key)).toBeUndefined();
      const again = await put(key, "two");
      expect((await store.get(key))?.createRevision).toBe(again);
      expect(await store.get(key, { revision: gone })).toBeUndefined();
      expect(String((await store.get(key, { revision: asRevision(gone - 1) }))?.value)).toBe("one");
    });

    test("deleting a key that does not exist takes no revision", async () => {
      const before = await store.revision();
      expect(await remove(`${fresh()}a`)).toBe(before);
      expect(await store.revision()).toBe(before);
    });

    test("commits only if every condition holds, and otherwise returns the current values in order", async () => {
      const prefix = fresh();
      const [a, b, c] = [`${prefix}a`, `${prefix}b`, `${prefix}c`];
      const atA = await put(a, "A");
      const atB = await put(b, "B", [{ key: b, modRevision: 0 }]);
      const stale: Compare[] = [
        { key: c, modRevision: 0 },
        { key: b, modRevision: atA },
        { key: a, modRevision: atA },
      ];
      const result = await store.commit(stale, [putOp(c, "C")]);
      expect(result.type).toBe("conflict");
      if (result.type !== "conflict") return;
      expect(result.current.map((item) => item && [item.key, String(item.value), item.modRevision])).toEqual([
        undefined,
        [b, "B", atB],
        [a, "A", atA],
      ]);
      expect(await store.get(c)).toBeUndefined();
      const right: Compare[] = [
        { key: a, modRevision: atA },
        { key: b, modRevision: atB },
      ];
      const both = revisionOf(await store.commit(right, [putOp(c, "C"), { type: "delete", key: a }]));
      expect((await store.get(c))?.modRevision).toBe(both);
      expect(await store.get(a)).toBeUndefined();
    });

    test("exactly one of many concurrent writers of the same state succeeds", async () => {
      const key = `${fresh()}a`;
      const seen = await put(key, "0");
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, i) => store.commit([{ key, modRevision: seen }], [putOp(key, `w${i}`)])),
      );
      const won = results.flatMap((result, i) => (result.type === "committed" ? [{ i, at: result.revision }] : []));
      expect(won).toHaveLength(1);
      const read = await store.get(key);
      expect([String(read?.value), read?.modRevision]).toEqual([`w${won[0]?.i}`, won[0]?.at]);
    });

    test("concurrent commits have distinct revisions without gaps", async () => {
      const prefix = fresh();
      const before = await store.revision();
      const revisions = await Promise.all(Array.from({ length: 50 }, (_, i) => put(`${prefix}${i}`, "x")));
      expect(revisions.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, i) => before + 1 + i));
      expect(await store.revision()).toBe(before + 50);
    });

    test("commits of one moment to several resources succeed and conflict independently of each other", async () => {
      const own = fresh().replace(/\/$/, "-");
      const key = (resource: string, name: string) => `${own}${resource}/${name}`;
      const taken = key("taken", "a");
      const at = await put(taken, "first");
      const seen = collect(store, own, at);
      const resources = ["pods", "events", "leases"];
      const results = await Promise.all([
        ...resources.map((resource) =>
          store.commit([{ key: key(resource, "a"), modRevision: 0 }], [putOp(key(resource, "a"), resource)]),
        ),
        store.commit([{ key: taken, modRevision: 0 }], [putOp(taken, "second")]),
        store.commit([{ key: taken, modRevision: at }], [putOp(key("guarded", "a"), "guarded")]),
      ]);
      expect(results.map(({ type }) => type)).toEqual([...resources.map(() => "committed"), "conflict", "committed"]);
      const [, , , conflict] = results;
      expect(conflict?.type === "conflict" && conflict.current.map((item) => String(item?.value))).toEqual(["first"]);
      for (const [i, resource] of resources.entries()) {
        const stored = await store.get(key(resource, "a"));
        expect([String(stored?.value), stored?.modRevision]).toEqual([resource, results[i]?.revision]);
      }
      await seen.until((changes) => changes.length === 4);
      await seen.stop();
      expect(seen.changes.map((change) => change.key).toSorted()).toEqual(
        [...resources, "guarded"].map((resource) => key(resource, "a")).toSorted(),
      );
    });

    test("stores bytes unchanged", async () => {
      const key = `${fresh()}a`;
      const value = Buffer.from([0, 255, 128, 10, 0]);
      await store.commit([], [{ type: "put", key, value }]);
      expect((await store.get(key))?.value).toEqual(value);
      await put(key, "");
      expect((await store.get(key))?.value).toHaveLength(0);
    });

    test("lists the keys of a prefix in byte order, and no others", async () => {
      const prefix = fresh();
      for (const name of ["b/x", "b-1/x", "a/z", "c"]) await put(`${prefix}${name}`, name);
      await put(`${prefix.slice(0, -1)}0`, "beside");
      const page = await store.list(prefix);
      expect(page.items.map((item) => item.key.slice(prefix.length))).toEqual(["a/z", "b-1/x", "b/x", "c"]);
      expect([page.more, page.revision]).toEqual([false, await store.revision()]);
      expect((await store.list(`${prefix}b/`)).items.map((item) => String(item.value))).toEqual(["b/x"]);
      expect(await store.count(prefix)).toBe(4);
      expect((await store.list(`${prefix}none/`)).items).toEqual([]);
    });

    test("pages through one revision while others write and delete", async () => {
      const prefix = fresh();
      for (const name of ["a", "b", "c", "d", "e"]) await put(`${prefix}${name}`, `${name}1`);
      const first = await store.list(prefix, { limit: 2 });
      expect([first.items.map((item) => String(item.value)), first.more]).toEqual([["a1", "b1"], true]);
      if (first.remaining !== undefined) expect(first.remaining).toBe(3);
      await put(`${prefix}c`, "c2");
      await remove(`${prefix}d`);
      await put(`${prefix}bb`, "new");
      await remove(`${prefix}e`);
      await put(`${prefix}e`, "e2");
      const { revision } = first;
      const rest = await store.list(prefix, { limit: 2, after: `${prefix}b`, revision });
      expect(rest.items.map((item) => String(item.value))).toEqual(["c1", "d1"]);
      expect([rest.more, rest.revision, rest.remaining ?? 1]).toEqual([true, revision, 1]);
      const last = await store.list(prefix, { limit: 2, after: `${prefix}d`, revision });
      expect([last.items.map((item) => String(item.value)), last.more]).toEqual([["e1"], false]);
      const now = await store.list(prefix);
      expect(now.items.map((item) => String(item.value))).toEqual(["a1", "b1", "new", "c2", "e2"]);
    });

    test("rejects revisions later than the latest", async () => {
      const future = asRevision((await store.revision()) + 1000);
      await expect(store.list(fresh(), { revision: future })).rejects.toSatisfy((e) =>
        isStoreError(e, "FutureRevision"),
      );
      await expect(store.get(`${fresh()}a`, { revision: future })).rejects.toSatisfy((e) =>
        isStoreError(e, "FutureRevision"),
      );
    });

    test("rejects values that are too large", async () => {
      const value = Buffer.alloc(8 << 20);
      await expect(store.commit([], [{ type: "put", key: `${fresh()}a`, value }])).rejects.toSatisfy((e) =>
        isStoreError(e, "TooLarge"),
      );
    });

    test("watches past and future changes of a prefix in order, and reports progress beyond changes of other keys", async () => {
      const prefix = fresh();
      const after = await store.revision();
      const one = await put(`${prefix}a`, "1");
      await put(fresh(), "beside");
      const seen = collect(store, prefix, after);
      await seen.until((changes) => changes.length === 1);
      const two = await put(`${prefix}a`, "2");
      const three = await remove(`${prefix}a`);
      const four = await put(`${prefix}a`, "4");
      const beside = await put(fresh(), "beside");
      await seen.until((_, revision) => revision >= beside);
      await seen.stop();
      expect(seen.changes.map(shown)).toEqual(
        [`put a=1 created @${one}`, `put a=2 @${two}`, `delete a @${three}`, `put a=4 created @${four}`].map((line) =>
          line.replace(" a", ` ${prefix}a`),
        ),
      );
    });

    test("does not split a revision over batches", async () => {
      const prefix = fresh();
      const after = await store.revision();
      const seen = collect(store, prefix, after);
      for (let round = 0; round < 5; round++) {
        await store.commit(
          [],
          Array.from({ length: 40 }, (_, i) => putOp(`${prefix}${round}-${i}`, "x".repeat(2000))),
        );
      }
      const end = await store.revision();
      await seen.until((_, revision) => revision >= end);
      await seen.stop();
      for (const batch of seen.batches) {
        const perRevision = Map.groupBy(batch.changes, (change) => change.revision);
        for (const changes of perRevision.values()) expect(changes).toHaveLength(40);
      }
      expect(seen.changes).toHaveLength(200);
    });

    test("delivers every change once to every watcher, whenever it started", async () => {
      const prefix = fresh();
      const after = await store.revision();
      const watchers = [collect(store, prefix, after)];
      let last = after;
      for (let i = 0; i < 60; i++) {
        if (i % 10 === 5) watchers.push(collect(store, prefix, after));
        last = await put(`${prefix}${i % 7}`, String(i));
      }
      for (const watcher of watchers) {
        await watcher.until((_, revision) => revision >= last);
        await watcher.stop();
        expect(watcher.changes.map((change) => change.type === "put" && String(change.value))).toEqual(
          Array.from({ length: 60 }, (_, i) => String(i)),
        );
      }
    });

    test("pushes changes to subscribers and reports their progress", async () => {
      if (store.subscribe === undefined) return;
      const prefix = fresh();
      const after = await store.revision();
      const one = await put(`${prefix}a`, "1");
      const changes: Change[] = [];
      const ends: unknown[] = [];
      const subscription = store.subscribe(prefix, after, {
        onBatch: (batch) => changes.push(...batch.changes),
        onEnd: (error) => ends.push(error),
      });
      const reach = (revision: Revision) =>
        new Promise<void>((resolve) => void subscription.whenReached(revision, resolve));
      await reach(one);
      expect(changes).toHaveLength(1);
      await put(`${prefix}b`, "2");
      const beside = await put(fresh(), "beside");
      await reach(beside);
      expect(changes.map((change) => change.key)).toEqual([`${prefix}a`, `${prefix}b`]);
      expect(subscription.revision).toBeGreaterThanOrEqual(beside);
      subscription.close();
      subscription.close();
      await put(`${prefix}c`, "3");
      await reach(await store.revision()).catch(() => {});
      expect([changes.length, ends]).toEqual([2, [undefined]]);
    });

    test.each([true, false])("a subscriber that throws ends and receives nothing again; behind: %s", async (behind) => {
      if (store.subscribe === undefined) return;
      const prefix = fresh();
      const after = await store.revision();
      if (behind) await put(`${prefix}a`, "1");
      const keys: string[] = [];
      const ends: unknown[] = [];
      store.subscribe(prefix, after, {
        onBatch({ changes }) {
          keys.push(...changes.map(({ key }) => key));
          throw new Error("on purpose");
        },
        onEnd: (error) => ends.push(error),
      });
      if (!behind) await put(`${prefix}a`, "1");
      const end = { reason: "Compacted", message: expect.stringMatching(/^the subscriber failed .*: on purpose$/) };
      await expect.poll(() => ends).toMatchObject([end]);
      await put(`${prefix}b`, "2");
      expect([keys, ends.length]).toEqual([[`${prefix}a`], 1]);
    });

    test("deletes a key when its time to live has ended, unless it was written again", async () => {
      const prefix = fresh();
      const after = await store.revision();
      const seen = collect(store, prefix, after);
      await put(`${prefix}short`, "x", [], 1);
      await put(`${prefix}kept`, "x", [], 1);
      await put(`${prefix}kept`, "y");
      await seen.until((changes) => changes.some((change) => change.type === "delete"), 8000);
      await seen.stop();
      expect(await store.get(`${prefix}short`)).toBeUndefined();
      expect(String((await store.get(`${prefix}kept`))?.value)).toBe("y");
    }, 10_000);

    test("rejects reads of compacted revisions, and keeps the latest versions", async () => {
      const prefix = fresh();
      const one = await put(`${prefix}a`, "1");
      await put(`${prefix}dead`, "1");
      await remove(`${prefix}dead`);
      const two = await put(`${prefix}a`, "2");
      const three = await put(`${prefix}a`, "3");
      await store.compact(two);
      await store.compact(two);
      await expect(store.list(prefix, { revision: one })).rejects.toSatisfy((e) => isStoreError(e, "Compacted"));
      await expect(store.get(`${prefix}a`, { revision: one })).rejects.toSatisfy((e) => isStoreError(e, "Compacted"));
      expect(String((await store.get(`${prefix}a`, { revision: two }))?.value)).toBe("2");
      expect(String((await store.get(`${prefix}a`))?.value)).toBe("3");
      expect(await store.get(`${prefix}dead`)).toBeUndefined();
      const seen = collect(store, prefix, asRevision(one - 1));
      await expect(seen.done).rejects.toSatisfy((e) => isStoreError(e, "Compacted"));
      const rest = collect(store, prefix, two);
      await rest.until((_, revision) => revision >= three);
      await rest.stop();
      expect(rest.changes.map(shown)).toEqual([`put ${prefix}a=3 @${three}`]);
    });

    test("reports that it is healthy, and its size", async () => {
      await store.health(AbortSignal.timeout(2000));
      expect(await store.sizeBytes()).toBeGreaterThan(0);
    });
  });
}

function putOp(key: string, value: string, ttlSeconds?: number): Op {
  return { type: "put", key, value: Buffer.from(value), ...(ttlSeconds === undefined ? {} : { ttlSeconds }) };
}

function revisionOf(result: Awaited<ReturnType<Store["commit"]>>): Revision {
  if (result.type === "conflict") throw new Error(`commit conflicted at revision ${result.revision}`);
  return result.revision;
}

function shown(change: Change): string {
  if (change.type === "delete") return `delete ${change.key} @${change.revision}`;
  return `put ${change.key}=${change.value}${change.created ? " created" : ""} @${change.revision}`;
}

/** A watch, and the batches that it has delivered. */
export interface Collected {
  readonly batches: readonly WatchBatch[];
  readonly changes: readonly Change[];
  /** Settles when the watch has ended. */
  readonly done: Promise<void>;
  /** Resolves once the condition holds; rejects after `timeoutMs`, or if the watch fails before. */
  until(condition: (changes: readonly Change[], revision: Revision) => boolean, timeoutMs?: number): Promise<void>;
  stop(): Promise<void>;
}

/** Watches a prefix and keeps all batches. */
export function collect(store: Store, prefix: string, after: Revision): Collected {
  const batches: WatchBatch[] = [];
  const changes: Change[] = [];
  const controller = new AbortController();
  let revision = after;
  let wake = () => {};
  const done = (async () => {
    for await (const batch of store.watch(prefix, { after, signal: controller.signal })) {
      batches.push(batch);
      changes.push(...batch.changes);
      revision = batch.revision;
      wake();
    }
  })();
  done.catch(() => {});
  return {
    batches,
    changes,
    done,
    async until(condition, timeoutMs = 5000) {
      const timeout = AbortSignal.timeout(timeoutMs);
      while (!condition(changes, revision)) {
        if (timeout.aborted)
          throw new Error(`not seen within ${timeoutMs} ms; seen:\n${changes.map(shown).join("\n")}`);
        const next = new Promise<void>((resolve) => {
          wake = resolve;
          timeout.addEventListener("abort", () => resolve(), { once: true });
        });
        await Promise.race([next, done]);
      }
    },
    async stop() {
      controller.abort();
      await done;
    },
  };
}
