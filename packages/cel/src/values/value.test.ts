import { expect, test } from "vitest";
import { callLibrary } from "./library-call.ts";
import {
  atomic,
  characters,
  concatenate,
  Failure,
  isList,
  isMap,
  isOpaque,
  isTime,
  isTypeValue,
  itemsOf,
  type ListValue,
  listValue,
  type MapValue,
  nanosOfDuration,
  sizeOf,
  type Value,
} from "./value.ts";

const ints = (count: number, from = 0): ListValue =>
  listValue(Array.from({ length: count }, (_, i) => BigInt(from + i)));
const map: MapValue = { kind: "map", size: 3, get: () => undefined, keys: () => ["a", "b", "c"] };
const opaque: Value = { kind: "opaque", type: "URL", text: "http://a", content: {} };
const type: Value = { kind: "type", name: "int" };

function library(name: string, text: string): Value {
  const found = callLibrary(name, undefined, [text]);
  if (found instanceof Failure) throw new Error(found.message);
  return found;
}

test.each<readonly [string, Value, string]>([
  ["a list", ints(1), "list"],
  ["a map", map, "map"],
  ["an opaque value", opaque, "opaque"],
  ["a type", type, "type"],
  ["a duration", library("duration", "1s"), "time"],
  ["a time", library("timestamp", "2020-01-01T00:00:00Z"), "time"],
  ["null", null, ""],
  ["a text", "list", ""],
  ["bytes", Uint8Array.of(1), ""],
  ["an integer", 1n, ""],
  ["a boolean", true, ""],
])("%s is of one kind", (_, value, want) => {
  const kinds = Object.entries({ list: isList, map: isMap, opaque: isOpaque, type: isTypeValue, time: isTime });
  expect(kinds.filter(([, is]) => is(value)).map(([kind]) => kind)).toEqual(want === "" ? [] : [want]);
});

test.each([
  ["", 0],
  ["abc", 3],
  ["äöü", 3],
  ["€", 1],
  ["\u{1f600}", 1],
  ["a\u{1f600}b\u{1f601}", 4],
  ["\ud83d", 1],
  ["\ude00", 1],
  ["\ud83d\ud83d\ude00", 2],
  ["\ud83d\ude00\ude00", 2],
  ["\ude00\ud83d", 2],
  ["x\ud83d", 2],
  ["e\u0301", 2],
])("%j has %i characters", (text, count) => {
  expect(characters(text)).toBe(count);
  expect(sizeOf(text)).toBe(count);
});

test.each<readonly [string, Value, number]>([
  ["a text of 1,000 units is counted", "\u{1f600}".repeat(500), 500],
  ["a longer one is measured", "\u{1f600}".repeat(501), 1002],
  ["bytes", new Uint8Array(5), 5],
  ["no bytes", new Uint8Array(0), 0],
  ["a list", ints(4), 4],
  ["an empty list", ints(0), 0],
  ["a map", map, 3],
  ["an integer", 7n, 1],
  ["a boolean", false, 1],
  ["null", null, 1],
  ["a type", type, 1],
  ["an opaque value", opaque, 1],
])("size: %s", (_, value, want) => {
  expect(sizeOf(value)).toBe(want);
});

test.each([
  ["1s", 1_000_000_000n],
  ["-1.5s", -1_500_000_000n],
  ["1ns", 1n],
  ["-1ns", -1n],
  ["0s", 0n],
  ["1h1m1s1ms", 3_661_001_000_000n],
])("duration %s has %s ns", (text, nanos) => {
  expect(nanosOfDuration(library("duration", text))).toBe(nanos);
});

test.each<readonly [string, Value]>([
  ["a time", library("timestamp", "2020-01-01T00:00:00Z")],
  ["a text", "1s"],
  ["an integer", 1n],
  ["null", null],
  ["a map", map],
])("%s is no duration", (_, value) => {
  expect(nanosOfDuration(value)).toBeUndefined();
});

// Lists of up to 64 items are copied, longer ones are joined where they are.
test.each([
  [0, 0],
  [0, 1],
  [1, 0],
  [3, 2],
  [3, 64],
  [3, 65],
  [100, 1],
  [65, 65],
])("%i items and %i more", (first, second) => {
  const sum = concatenate(ints(first), ints(second, first));
  if (sum instanceof Failure) throw new Error(sum.message);
  expect(sum.size).toBe(first + second);
  expect([...itemsOf(sum)]).toEqual(Array.from({ length: first + second }, (_, i) => BigInt(i)));
  expect(sum.order).toBe(atomic);
});

test("a list that grew twice in different ways has not changed either of them", () => {
  const base = ints(2);
  const grown = [10n, 20n, 30n].map((item) => concatenate(base, listValue([item])));
  expect(grown.map((list) => (list instanceof Failure ? list : [...itemsOf(list)]))).toEqual([
    [0n, 1n, 10n],
    [0n, 1n, 20n],
    [0n, 1n, 30n],
  ]);
  expect([...itemsOf(base)]).toEqual([0n, 1n]);
});

test("appending one by one takes linear time", () => {
  let list: ListValue | Failure = ints(0);
  for (let i = 0; i < 50_000; i++) {
    if (list instanceof Failure) throw new Error(list.message);
    list = concatenate(list, listValue([BigInt(i)]));
  }
  expect(!(list instanceof Failure) && [list.size, list.at(49_999)]).toEqual([50_000, 49_999n]);
});

/** A list with an item that cannot be read. */
const broken = (size: number): ListValue => ({
  kind: "list",
  size,
  order: atomic,
  at: (index) => (index === size - 1 ? new Failure("broken") : 1n),
});

test("the failure of an item that is copied is that of the sum; others stay where they are", () => {
  expect(concatenate(ints(1), broken(3))).toMatchObject({ message: "broken" });
  const joined = concatenate(broken(2), ints(2));
  expect(!(joined instanceof Failure) && [...itemsOf(joined)]).toMatchObject([1n, { message: "broken" }, 0n, 1n]);
});

test("the order of the first list stays when items are copied to it", () => {
  const order = { kind: "set" } as const;
  expect(concatenate(listValue([1n], order), ints(1))).toMatchObject({ order, size: 2 });
});
