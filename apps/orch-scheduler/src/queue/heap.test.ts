import { expect, test } from "vitest";
import { Heap } from "./heap.ts";

const item = (value: number) => ({ value, heapIndex: -1 });
const drain = (heap: Heap<{ value: number; heapIndex: number }>): number[] => {
  const out: number[] = [];
  for (let next = heap.pop(); next !== undefined; next = heap.pop()) out.push(next.value);
  return out;
};

test.each([
  [[], []],
  [[1], [1]],
  [
    [3, 1, 2],
    [1, 2, 3],
  ],
  [
    [5, 5, 1, 9, 0, 5],
    [0, 1, 5, 5, 5, 9],
  ],
])("items %j are removed in the order %j", (values, want) => {
  const heap = new Heap<ReturnType<typeof item>>((a, b) => a.value < b.value);
  for (const value of values) heap.push(item(value));
  expect(heap.peek()?.value).toBe(want[0]);
  expect(drain(heap)).toEqual(want);
  expect(heap.size).toBe(0);
});

test("the order remains when any item is removed", () => {
  const values = Array.from({ length: 200 }, (_, i) => (i * 7919) % 200);
  for (const modulus of [2, 3, 7]) {
    const heap = new Heap<ReturnType<typeof item>>((a, b) => a.value < b.value);
    const items = values.map(item);
    for (const one of items) heap.push(one);
    for (const [i, one] of items.entries()) if (i % modulus === 0) heap.remove(one);
    expect(drain(heap)).toEqual(values.filter((_, i) => i % modulus !== 0).sort((a, b) => a - b));
  }
});

test("removing an item that is not in the heap does nothing", () => {
  const heap = new Heap<ReturnType<typeof item>>((a, b) => a.value < b.value);
  const [a, b] = [item(1), item(2)];
  heap.push(a);
  heap.remove(b);
  heap.remove(a);
  heap.remove(a);
  expect(heap.size).toBe(0);
});
