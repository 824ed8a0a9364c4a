import { expect, test } from "vitest";
import { FairQueue } from "./fair-queue.ts";

test("users are served in turn", () => {
  const queue = new FairQueue<string>({ most: 100, mostPerUser: 100 });
  for (const item of ["a1", "a2", "a3", "b1", "c1", "b2"]) expect(queue.add(item.charAt(0), 1, item)).toBe(true);
  expect(queue.take()).toBe("a1");
  queue.add("d", 1, "d1");
  expect(Array.from({ length: 7 }, () => queue.take())).toEqual(["b1", "c1", "a2", "d1", "b2", "a3", undefined]);
});

test("a user who has just been served waits for others", () => {
  const queue = new FairQueue<string>({ most: 100, mostPerUser: 100 });
  queue.add("a", 1, "a1");
  expect(queue.take()).toBe("a1");
  for (const item of ["a2", "a3", "b1"]) queue.add(item.charAt(0), 1, item);
  expect(Array.from({ length: 4 }, () => queue.take())).toEqual(["b1", "a2", "a3", undefined]);
});

test("one user cannot use up the room of all", () => {
  const queue = new FairQueue<number>({ most: 10, mostPerUser: 4 });
  expect([queue.add("a", 4, 1), queue.add("a", 1, 2), queue.add("b", 4, 3), queue.add("c", 3, 4)]).toEqual([
    true,
    false,
    true,
    false,
  ]);
  expect(queue.take()).toBe(1);
  expect([queue.add("a", 4, 5), queue.add("c", 3, 6)]).toEqual([true, false]);
});
