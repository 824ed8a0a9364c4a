import { FakeClock } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { EvictionQueue } from "./eviction-queue.ts";

function queueOf(rate: number, names: readonly string[]) {
  const clock = new FakeClock();
  const queue = new EvictionQueue(clock);
  queue.setRates(new Map([["z", rate]]));
  for (const name of names) queue.add("z", name);
  return { clock, queue };
}

test("nodes pass one at a time, in order, at the zone's rate", () => {
  const { clock, queue } = queueOf(0.1, ["a", "b"]);
  expect(queue.take()).toEqual(["a"]);
  expect(queue.take()).toEqual([]);
  expect(queue.dueInMs()).toBe(10_000);
  clock.advance(10_000);
  expect(queue.take()).toEqual(["b"]);
  expect(queue.dueInMs()).toBeUndefined();
});

test("a rate of 0 also stops nodes that are already queued", () => {
  const { clock, queue } = queueOf(0.1, ["a", "b"]);
  queue.take();
  queue.setRates(new Map([["z", 0]]));
  clock.advance(1_000_000);
  expect([queue.take(), queue.dueInMs()]).toEqual([[], undefined]);
  queue.setRates(new Map([["z", 0.1]]));
  expect(queue.take()).toEqual([]);
  clock.advance(10_000);
  expect(queue.take()).toEqual(["b"]);
});

test("a node that is added twice is released once, and a removed one never", () => {
  const { clock, queue } = queueOf(1, ["a", "a", "b"]);
  queue.remove("b");
  expect(queue.take()).toEqual(["a"]);
  clock.advance(10_000);
  expect(queue.take()).toEqual([]);
});

test("zones do not wait for each other", () => {
  const queue = new EvictionQueue(new FakeClock());
  queue.setRates(
    new Map([
      ["y", 0],
      ["z", 0.1],
    ]),
  );
  queue.add("y", "a");
  queue.add("z", "b");
  expect(queue.take()).toEqual(["b"]);
});

test("the nodes of a removed zone are not released, even if the zone is added again", () => {
  const { clock, queue } = queueOf(1, ["a"]);
  queue.setRates(new Map());
  expect([queue.take(), queue.dueInMs()]).toEqual([[], undefined]);
  queue.setRates(new Map([["z", 1]]));
  clock.advance(10_000);
  expect(queue.take()).toEqual([]);
});
