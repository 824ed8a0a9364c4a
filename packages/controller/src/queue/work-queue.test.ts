import { FakeClock } from "@orchernetes/kernel";
import { describe, expect, test } from "vitest";
import { noQueueMetrics } from "./queue-metrics.ts";
import { createItemRateLimiter } from "./rate-limit.ts";
import { WorkQueue } from "./work-queue.ts";

describe("a work queue", () => {
  test("hands out each item once, in order", async () => {
    const queue = new WorkQueue({ name: "q" });
    for (const item of ["a", "b", "a"]) queue.add(item);
    expect([await queue.get(), await queue.get(), queue.length]).toEqual(["a", "b", 0]);
  });

  test("an item that is added while it is worked on is queued when that work is done", async () => {
    const queue = new WorkQueue({ name: "q" });
    queue.add("a");
    const item = await queue.get();
    queue.add("a");
    queue.add("a");
    expect(queue.length).toBe(0);
    queue.done(item ?? "");
    expect([queue.length, await queue.get()]).toEqual([1, "a"]);
  });

  test("a waiting consumer gets the next item that is added", async () => {
    const queue = new WorkQueue({ name: "q" });
    const got = Promise.all([queue.get(), queue.get()]);
    queue.add("a");
    queue.add("b");
    expect(await got).toEqual(["a", "b"]);
  });

  test("of several delays the shortest applies", async () => {
    const clock = new FakeClock();
    const queue = new WorkQueue({ name: "q", clock });
    queue.addAfter("a", 1000);
    queue.addAfter("a", 100);
    queue.addAfter("a", 500);
    clock.advance(100);
    expect(queue.length).toBe(1);
    clock.advance(2000);
    expect([queue.length, clock.waiting]).toEqual([1, 0]);
  });

  test("failures delay an item longer each time, until forgotten", () => {
    const clock = new FakeClock();
    const queue = new WorkQueue({ name: "q", clock });
    queue.addRateLimited("a");
    clock.advance(5);
    expect(queue.length).toBe(1);
    queue.addRateLimited("b");
    expect(queue.retries("a")).toBe(1);
    queue.forget("a");
    expect(queue.retries("a")).toBe(0);
  });

  test("reports how long its items have been worked on", async () => {
    const clock = new FakeClock();
    let read = () => ({ totalMs: -1, longestMs: -1 });
    const follow = (_: string, given: typeof read): void => {
      read = given;
    };
    const metrics = { ...noQueueMetrics, follow };
    const queue = new WorkQueue({ name: "q", clock, metrics });
    queue.add("a");
    const first = await queue.get();
    clock.advance(3000);
    queue.add("b");
    await queue.get();
    clock.advance(1000);
    expect(read()).toEqual({ totalMs: 5000, longestMs: 4000 });
    queue.done(first ?? "");
    expect(read()).toEqual({ totalMs: 1000, longestMs: 1000 });
  });

  test("a queue that is shut down drains, then returns undefined", async () => {
    const queue = new WorkQueue({ name: "q" });
    queue.add("a");
    queue.add("b");
    const first = await queue.get();
    queue.addAfter("later", 1);
    let drained = false;
    const draining = queue.shutDownWithDrain().then(() => {
      drained = true;
    });
    queue.add("c");
    const second = await queue.get();
    const waiting = queue.get();
    queue.done(first ?? "");
    await Promise.resolve();
    expect([second, drained]).toEqual(["b", false]);
    queue.done("b");
    await draining;
    expect([drained, await waiting, await queue.get()]).toEqual([true, undefined, undefined]);
  });
});

test.each([
  [{ baseMs: 5, maxMs: 100, burst: 1000 }, ["a", "a", "a", "b", "a", "a", "a"], [5, 10, 20, 5, 40, 80, 100]],
  [{ baseMs: 5, qps: 10, burst: 2 }, ["a", "b", "c", "d"], [5, 5, 100, 200]],
] as const)("delays %j of %j", (options, items, want) => {
  const limiter = createItemRateLimiter<string>({ ...options, clock: new FakeClock() });
  expect(items.map((item) => limiter.when(item))).toEqual(want);
});
