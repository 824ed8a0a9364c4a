import { expect, test } from "vitest";
import { checkHistory } from "./check-history.ts";
import type { Operation, Outcome, Request, Seen, StoredVersion, WatchRecord, WatchSession } from "./history.ts";

const seen = (key: string, revision: number, id = `i${revision}`): Seen => ({ key, revision, id });
const op = (startMs: number, request: Request, outcome: Outcome, endMs = startMs + 1): Operation => ({
  client: 0,
  request,
  outcome,
  startMs,
  endMs,
});
const create = (at: number, revision: number): Operation =>
  op(at, { type: "create", key: "a", id: `i${revision}` }, { type: "ok", seen: seen("a", revision) });
const update = (at: number, expected: number, revision: number): Operation =>
  op(at, { type: "update", key: "a", id: `i${revision}`, expected }, { type: "ok", seen: seen("a", revision) });
const get = (at: number, outcome: Outcome): Operation => op(at, { type: "get", key: "a" }, outcome);
const event = (type: "ADDED" | "MODIFIED" | "DELETED", revision: number): WatchRecord => ({
  type,
  seen: seen("a", revision),
});
const session = (after: number, ...records: WatchRecord[]): WatchSession => ({ client: 1, after, records });
const base = [create(0, 5), update(2, 5, 6)];

test.each<[string, Operation[], WatchSession[]]>([
  [
    "reads and writes in order",
    [...base, get(4, { type: "ok", seen: seen("a", 6) })],
    [session(4, event("ADDED", 5), event("MODIFIED", 6))],
  ],
  ["a read beside a write", [...base, op(0, { type: "get", key: "a" }, { type: "ok", seen: seen("a", 5) }, 9)], []],
  [
    "a lost answer that a watch reveals",
    [...base, op(4, { type: "update", key: "a", id: "i7", expected: 6 }, { type: "unknown" })],
    [session(6, event("MODIFIED", 7))],
  ],
  [
    "a delete",
    [...base, op(4, { type: "delete", key: "a", expected: 6 }, { type: "ok" }), get(6, { type: "notFound" })],
    [session(6, event("DELETED", 7))],
  ],
  [
    "a bookmark past others' changes",
    base,
    [session(4, event("ADDED", 5), event("MODIFIED", 6), { type: "BOOKMARK", revision: 9 })],
  ],
])("accepts %s", (_, operations, sessions) => {
  expect(checkHistory({ operations, sessions })).toEqual([]);
});

test("accepts a create after a delete whose response was lost", () => {
  const lost = op(4, { type: "delete", key: "a", expected: 6 }, { type: "unknown" });
  const operations = [...base, lost, create(6, 8)];
  expect(checkHistory({ operations, sessions: [session(7, event("ADDED", 8))] })).toEqual([]);
});

const put = (revision: number, key = "a"): StoredVersion => ({ key, revision, deleted: false });
const listed = (revision: number, ...items: Seen[]): Operation =>
  op(9, { type: "list" }, { type: "listed", revision, items });

test("accepts what the store contains, also changes that no client saw", () => {
  const record = [put(5), put(6), { key: "a", revision: 7, deleted: true }, put(8, "b"), put(9)];
  const sessions = [session(4, event("ADDED", 5), event("MODIFIED", 6)), session(5)];
  const operations = [...base, listed(6, seen("a", 6))];
  expect(checkHistory({ operations, sessions, record })).toEqual([]);
});

test.each<[string, StoredVersion[], Operation[], WatchSession[], string]>([
  [
    "an event of a write without answer that nobody else saw either",
    [put(5), put(6), put(7, "b"), put(8)],
    [...base, update(4, 6, 8)],
    [session(4, event("ADDED", 5), event("MODIFIED", 6), event("MODIFIED", 8))],
    "b at 7 is in the store and was never delivered",
  ],
  [
    "a bookmark past it",
    [put(5), put(6), put(7, "b")],
    base,
    [session(6, { type: "BOOKMARK", revision: 7 })],
    "b at 7 is in the store and was never delivered",
  ],
  ["a list that lacks one", [put(5), put(6), put(7, "b")], [...base, listed(7, seen("a", 6))], [], "b at undefined"],
  ["an old item of a list", [put(5), put(6), put(7)], [...base, listed(7, seen("a", 6))], [], "the store at 7"],
  [
    "an item of a list that was deleted",
    [put(5), put(6), { key: "a", revision: 7, deleted: true }],
    [...base, listed(8, seen("a", 6))],
    [],
    "has a at 6, the store does not",
  ],
  ["an acknowledged write that is not there", [put(5)], base, [], "has a at 6; the store has nothing of the kind"],
  [
    "a deletion that was none",
    [put(5), put(6), put(7)],
    base,
    [session(6, event("DELETED", 7))],
    "has a, deleted at 7; the store has a",
  ],
])("finds by the record of the store %s", (_, record, operations, sessions, want) => {
  expect(checkHistory({ operations, sessions, record }).join("\n")).toContain(want);
  expect(checkHistory({ operations, sessions }).join("\n")).not.toContain(want);
});

test.each<[string, Operation[], WatchSession[], string]>([
  [
    "a stale read",
    [...base, get(4, { type: "ok", seen: seen("a", 5) })],
    [],
    "was read at 5 after 6 had been acknowledged",
  ],
  ["a lost write", [...base, get(4, { type: "notFound" })], [], "nobody deleted it"],
  ["a lost update", [...base, update(4, 5, 7)], [], "over 5, but was at 6"],
  ["a create over an object", [...base, create(4, 7)], [], "although it existed since 6"],
  [
    "a revision that goes back",
    [create(0, 5), op(2, { type: "create", key: "b", id: "x" }, { type: "ok", seen: seen("b", 4, "x") })],
    [],
    "got revision 4 after 5",
  ],
  [
    "one revision for two keys",
    [create(0, 5), op(0, { type: "create", key: "b", id: "x" }, { type: "ok", seen: seen("b", 5, "x") })],
    [],
    "is of a and of b",
  ],
  [
    "a refused write that is there",
    [op(0, { type: "create", key: "a", id: "i5" }, { type: "refused" })],
    [session(4, event("ADDED", 5))],
    "which was refused",
  ],
  ["a value nobody wrote", [], [session(4, event("ADDED", 5))], "which nobody wrote"],
  [
    "a stale list",
    [...base, op(4, { type: "list" }, { type: "listed", revision: 5, items: [seen("a", 5)] })],
    [],
    "a list at 5 began after 6",
  ],
  [
    "a list that lacks one",
    [...base, op(4, { type: "list" }, { type: "listed", revision: 6, items: [] })],
    [],
    "lacks a",
  ],
  [
    "a torn list",
    [...base, op(4, { type: "list" }, { type: "listed", revision: 6, items: [seen("a", 5)] })],
    [],
    "has a at 5, but it was at 6",
  ],
  [
    "a gap in a watch",
    [...base, update(4, 6, 7)],
    [session(4, event("ADDED", 5), event("MODIFIED", 7))],
    "a at 6 was never delivered",
  ],
  ["a doubled event", base, [session(4, event("ADDED", 5), event("ADDED", 5))], "was delivered twice"],
  ["events out of order", base, [session(4, event("MODIFIED", 6), event("ADDED", 5))], "was delivered after 6"],
  [
    "a bookmark ahead of its events",
    base,
    [session(4, event("ADDED", 5), { type: "BOOKMARK", revision: 6 }, event("MODIFIED", 6))],
    "was delivered after bookmark 6",
  ],
  ["a wrong event type", base, [session(4, event("ADDED", 5), event("ADDED", 6))], "ADDED a at 6, which existed"],
])("finds %s", (_, operations, sessions, want) => {
  expect(checkHistory({ operations, sessions }).join("\n")).toContain(want);
});
