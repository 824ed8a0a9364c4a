import { describe, expect, test } from "vitest";
import { StoreError } from "../errors.ts";
import { asRevision } from "../revision.ts";
import { names, podCaches, record } from "../testing/pod-caches.ts";
import type { Described } from "./entry.ts";

const caches = podCaches();

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
    const { cache, put, remove } = await caches.setUp();
    await cache.waitFresh();
    const start = cache.revision;
    const options = { bookmarks: false, signal: caches.signal, ...selection };
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
    const { cache, put } = await caches.setUp();
    await put("a/1", { node: "n1", labels: { app: "web" } });
    await cache.waitFresh();
    const matches = ({ labels }: Described) => labels?.app === "web";
    const { watcher, entries } = cache.listAndWatch({ matches, bookmarks: false, signal: caches.signal });
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
    const { cache, put } = await caches.setUp();
    await cache.waitFresh();
    const options = { after: cache.revision, bookmarks: false, signal: caches.signal };
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
    const { cache, put, remove } = await caches.setUp();
    await put("a/1");
    await cache.waitFresh();
    const seen = record(cache.watch({ after: cache.revision, bookmarks: false, signal: caches.signal }));
    const [gone, again] = await Promise.all([remove("a/1"), put("a/1")]);
    await cache.waitFresh();
    expect(seen.lines()).toEqual([`DELETED a/1 ${gone}`, `ADDED a/1 ${again}`]);
    expect(cache.get("a", "1")?.createRevision).toBe(again);
  });

  test("never deliver changes up to their start, even if the cache is behind it", async () => {
    const { cache, put } = await caches.setUp();
    await cache.waitFresh();
    const after = asRevision(cache.revision + 2);
    const seen = record(cache.watch({ after, bookmarks: false, signal: caches.signal }));
    await put("a/1");
    await put("a/2");
    const third = await put("a/3");
    await cache.waitFresh();
    expect(seen.lines()).toEqual([`ADDED a/3 ${third}`]);
  });

  test("hold events back while paused, and end when too many wait", async () => {
    const { cache, put } = await caches.setUp();
    await cache.waitFresh();
    const options = { after: cache.revision, bookmarks: false, maxBuffered: 3, signal: caches.signal };
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

  test("do not count changes of the past towards the limit", async () => {
    const { cache, put } = await caches.setUp();
    await cache.waitFresh();
    const after = cache.revision;
    for (let i = 0; i < 10; i++) await put(`a/${i}`);
    await cache.waitFresh();
    const watcher = cache.watch({ after, bookmarks: false, maxBuffered: 1, signal: caches.signal });
    await put("a/x");
    await cache.waitFresh();
    const seen = record(watcher);
    expect([seen.events.length, seen.ends]).toEqual([11, []]);
  });

  test("get bookmarks at the cache's revision if requested, and on demand", async () => {
    const { cache } = await caches.setUp({ bookmarkIntervalMs: 20 });
    await cache.waitFresh();
    const options = { after: cache.revision, signal: caches.signal };
    const wanting = record(cache.watch({ ...options, bookmarks: true }));
    const other = cache.watch({ ...options, bookmarks: false });
    const otherSeen = record(other);
    const beside = await caches.store.commit([], [{ type: "put", key: "/registry/beside", value: Buffer.from("x") }]);
    await expect.poll(() => wanting.lines()).toContain(`BOOKMARK ${beside.revision}`);
    expect(otherSeen.events).toEqual([]);
    other.bookmark();
    expect(otherSeen.lines()).toEqual([`BOOKMARK ${beside.revision}`]);
  });

  test("reject a start that is older than the window", async () => {
    const { cache, put } = await caches.setUp({ historySize: 3 });
    await cache.waitFresh();
    const start = cache.revision;
    const first = await put("a/1");
    for (let i = 0; i < 3; i++) await put(`a/x${i}`);
    await cache.waitFresh();
    const options = { bookmarks: false, signal: caches.signal };
    expect(() => cache.watch({ after: start, ...options })).toThrow(StoreError);
    expect(() => cache.watch({ after: start, ...options })).toThrow(/has been compacted/);
    expect(record(cache.watch({ after: first, ...options })).events).toHaveLength(3);
  });

  test("end with their signal, and with the cache", async () => {
    const { cache, put } = await caches.setUp();
    const own = new AbortController();
    const options = { after: cache.revision, bookmarks: false };
    const one = record(cache.watch({ ...options, signal: own.signal }));
    const two = record(cache.watch({ ...options, signal: new AbortController().signal }));
    own.abort();
    await put("a/1");
    await cache.waitFresh();
    expect([one.events, one.ends]).toEqual([[], ["aborted"]]);
    caches.abort();
    expect([two.events.length, two.ends, cache.isReady()]).toEqual([1, ["stopped"], false]);
  });
});
