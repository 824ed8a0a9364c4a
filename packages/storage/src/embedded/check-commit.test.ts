import { expect, test } from "vitest";
import { asRevision } from "../revision.ts";
import type { Compare, Op } from "../store.ts";
import { checkCommit, fitsKey } from "./check-commit.ts";

const put = (key: string, bytes = 1): Op => ({ type: "put", key, value: Buffer.alloc(bytes) });
const compare = (key: string): Compare => ({ key, modRevision: asRevision(1) });
const tooLarge = (message: string) => ({ name: "StoreError", reason: "TooLarge", message });

test.each<[title: string, key: string, want: boolean]>([
  ["ASCII at the limit", "k".repeat(1900), true],
  ["ASCII above the limit", "k".repeat(1901), false],
  ["two bytes a character at the limit", "é".repeat(950), true],
  ["two bytes a character above the limit", "é".repeat(951), false],
  ["four bytes a character above the limit", "😀".repeat(476), false],
])("fitsKey: %s", (_, key, want) => {
  expect(fitsKey(key)).toBe(want);
});

test.each<[title: string, compares: readonly Compare[], ops: readonly Op[]]>([
  ["no operation", [], []],
  ["a value at the limit", [], [put("a", 100)]],
  ["values at the limit together", [], [put("a", 50), put("b", 50)]],
  ["deletes of any number", [compare("a")], [{ type: "delete", key: "a" }, put("b", 100)]],
  ["a compared key that is not written", [compare("x")], [put("a")]],
])("accepts %s", (_, compares, ops) => {
  checkCommit(compares, ops, 100);
});

test.each<[title: string, compares: readonly Compare[], ops: readonly Op[], want: object]>([
  ["a value above the limit", [], [put("a", 101)], tooLarge("a commit may hold at most 100 bytes, not 101")],
  [
    "values above it together",
    [],
    [put("a", 60), put("b", 60)],
    tooLarge("a commit may hold at most 100 bytes, not 120"),
  ],
  ["a long key", [], [put("k".repeat(1901))], tooLarge("a key may have at most 1900 bytes, not 1901")],
  ["a long compared key", [compare("k".repeat(1901))], [], tooLarge("a key may have at most 1900 bytes, not 1901")],
  ["an empty key", [], [put("")], { name: "TypeError", message: '"" is not a key' }],
  ["a key with NUL", [], [put("a\0")], { name: "TypeError", message: '"a\\u0000" is not a key' }],
  ["a key twice", [], [put("a"), put("a")], { name: "TypeError", message: "a commit may write each key only once" }],
])("rejects %s", (_, compares, ops, want) => {
  expect(() => checkCommit(compares, ops, 100)).toThrow(expect.objectContaining(want));
});

test("rejects more operations than an index of 16 bits can number", () => {
  const ops = Array.from({ length: 65_536 }, (_, i): Op => ({ type: "delete", key: `k${i}` }));
  checkCommit([], ops.slice(1), 100);
  expect(() => checkCommit([], ops, 100)).toThrow("a commit may have at most 65535 operations, not 65536");
});
