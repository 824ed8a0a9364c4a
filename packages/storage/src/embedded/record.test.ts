import { describe, expect, test } from "vitest";
import {
  expiryKey,
  type LogRecord,
  pointerBytes,
  positionKey,
  readExpiryKey,
  readPointer,
  readPosition,
  readRecord,
  recordSize,
  writeRecord,
} from "./record.ts";

const LARGEST = 2 ** 53 - 1;

test.each<[title: string, record: LogRecord]>([
  [
    "a put",
    { type: "put", previous: { revision: 0, index: 0 }, createRevision: 7, key: "/a", value: Buffer.from("value") },
  ],
  [
    "a tombstone",
    { type: "delete", previous: { revision: 7, index: 3 }, createRevision: 5, key: "/a", value: Buffer.alloc(0) },
  ],
  [
    "the largest numbers, and a key beyond ASCII",
    {
      type: "put",
      previous: { revision: LARGEST, index: 65_535 },
      createRevision: LARGEST,
      key: "/é/😀",
      value: Buffer.from([0, 255]),
    },
  ],
])("reads %s as it was written", (_, record) => {
  const keyBytes = Buffer.byteLength(record.key);
  const bytes = Buffer.alloc(recordSize(keyBytes, record.value.length));
  expect(writeRecord(bytes, record, keyBytes)).toEqual(record.value);
  expect(readRecord(bytes)).toEqual(record);
});

test.each([
  { revision: 1, index: 0, createRevision: 1 },
  { revision: LARGEST, index: 65_535, createRevision: LARGEST },
])("reads the pointer and position $revision/$index as they were written", (pointer) => {
  expect(readPointer(pointerBytes(pointer))).toEqual(pointer);
  expect(readPosition(positionKey(pointer))).toEqual({ revision: pointer.revision, index: pointer.index });
});

describe("keys sort as their numbers do", () => {
  test("positions", () => {
    const positions = [
      { revision: 0, index: 0 },
      { revision: 1, index: 0 },
      { revision: 1, index: 1 },
      { revision: 1, index: 256 },
      { revision: 2, index: 0 },
      { revision: 255, index: 9 },
      { revision: 256, index: 0 },
      { revision: 2 ** 32, index: 0 },
      { revision: LARGEST, index: 65_535 },
    ];
    const sorted = positions.toReversed().map(positionKey).toSorted(Buffer.compare);
    expect(sorted.map(readPosition)).toEqual(positions);
  });

  test("expiries, by time and then by key", () => {
    const expiries = [
      { expiresAtMs: 5, key: "/b" },
      { expiresAtMs: 1_700_000_000_000, key: "/a" },
      { expiresAtMs: 1_700_000_000_000, key: "/b" },
      { expiresAtMs: 1_700_000_000_001, key: "/a" },
    ];
    const rows = expiries.toReversed().map(({ expiresAtMs, key }) => expiryKey(expiresAtMs, key));
    expect(rows.toSorted(Buffer.compare).map(readExpiryKey)).toEqual(expiries);
  });
});
