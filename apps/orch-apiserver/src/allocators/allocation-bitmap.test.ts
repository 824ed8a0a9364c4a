import { expect, test } from "vitest";
import { AllocationBitmap } from "./allocation-bitmap.ts";

const of = (size: number, ...taken: number[]): AllocationBitmap => {
  const bitmap = new AllocationBitmap(size);
  for (const offset of taken) bitmap.add(offset);
  return bitmap;
};

test.each([
  [16, [], ""],
  [16, [0], "01"],
  [16, [7], "80"],
  [16, [8], "0100"],
  [16, [0, 15], "8001"],
  [254, [253], `20${"00".repeat(31)}`],
])("of %i offsets %j are encoded as %j", (size, taken, hex) => {
  const bitmap = of(size, ...taken);
  expect(bitmap.encode().toString("hex")).toBe(hex);
  const decoded = AllocationBitmap.decode(size, Buffer.from(hex, "hex"));
  expect(decoded.equals(bitmap)).toBe(true);
  expect([decoded.count, [...decoded.taken()]]).toEqual([taken.length, taken]);
});

test("bits beyond the size are left out", () => {
  const decoded = AllocationBitmap.decode(10, Buffer.from("ffffff", "hex"));
  expect([decoded.count, decoded.has(10), decoded.has(9)]).toEqual([10, false, true]);
});

test("an offset is taken once, freed once, and must be one of the range", () => {
  const bitmap = of(10);
  expect([bitmap.add(3), bitmap.add(3), bitmap.add(10), bitmap.add(-1)]).toEqual([true, false, false, false]);
  expect([bitmap.delete(3), bitmap.delete(3), bitmap.count]).toEqual([true, false, 0]);
});

test("a copy has a life of its own", () => {
  const bitmap = of(10, 1);
  const copy = bitmap.clone();
  copy.add(2);
  expect([bitmap.count, copy.count, bitmap.equals(copy)]).toEqual([1, 2, false]);
});

test.each([
  [[], 0, 20, 0],
  [[0, 1, 2], 0, 20, 3],
  [[8, 9, 10, 11, 12, 13, 14, 15], 8, 20, 16],
  [[8, 9, 10, 11, 12, 13, 14, 15], 8, 16, undefined],
  [[4, 5], 4, 6, undefined],
])("with %j taken the first free one of [%i, %i) is %s", (taken, from, to, want) => {
  expect(of(20, ...taken).firstFree(from, to)).toBe(want);
});
