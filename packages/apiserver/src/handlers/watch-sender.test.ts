import { asRevision, type CacheEvent } from "@orchernetes/storage";
import { expect, test } from "vitest";
import { SharedBatches } from "./watch-sender.ts";

const [a, b, c, d] = [1, 2, 3, 4].map(
  (revision): CacheEvent => ({ type: "BOOKMARK", revision: asRevision(revision) }),
) as [CacheEvent, CacheEvent, CacheEvent, CacheEvent];

test.each([
  { name: "the same events are joined once", first: [a, b], form: "x", second: [a, b], joins: 1 },
  { name: "another form is joined for itself", first: [a, b], form: "y", second: [a, b], joins: 2 },
  { name: "more events are another batch", first: [a, b], form: "x", second: [a, b, c], joins: 2 },
  { name: "every event counts, not only the ends", first: [a, b, d], form: "x", second: [a, c, d], joins: 2 },
])("$name", ({ first, form, second, joins }) => {
  const batches = new SharedBatches();
  let made = 0;
  const join = () => Buffer.from(String(made++));
  batches.bytes("x", first, join);
  const bytes = batches.bytes(form, second, join);
  expect([made, bytes.toString()]).toEqual([joins, String(joins - 1)]);
});

test("a batch is built again after it was cleared", () => {
  const batches = new SharedBatches();
  batches.bytes("x", [a], () => Buffer.from("old"));
  batches.clear();
  expect(batches.bytes("x", [a], () => Buffer.from("new")).toString()).toBe("new");
});
