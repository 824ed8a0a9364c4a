import { expect, test } from "vitest";
import { EventQueue } from "./event-queue.ts";

/** A queue whose writes end when the test says so. */
function manualQueue(parallel: number, size: number) {
  const started: string[] = [];
  const writes = new Map<string, PromiseWithResolvers<void>>();
  const queue = new EventQueue<string>({
    parallel,
    size,
    merge: (before, after) => `${before}+${after}`,
    write: (item) => {
      started.push(item);
      const write = Promise.withResolvers<void>();
      writes.set(item, write);
      return write.promise;
    },
  });
  /** Ends a write and lets the queue continue. */
  const end = async (item: string): Promise<void> => {
    writes.get(item)?.resolve();
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  };
  return { queue, started, end };
}

test("writes of one event wait for each other and are merged meanwhile", async () => {
  const { queue, started, end } = manualQueue(4, 10);
  for (const item of ["1", "2", "3"]) expect(queue.push("e", item)).toBe(true);
  expect(started).toEqual(["1"]);
  await end("1");
  expect(started).toEqual(["1", "2+3"]);
});

test("writes of different events run side by side, up to the limit, in the order of arrival", async () => {
  const { queue, started, end } = manualQueue(2, 10);
  for (const item of ["a", "b", "c", "d"]) queue.push(item, item);
  expect(started).toEqual(["a", "b"]);
  await end("b");
  expect(started).toEqual(["a", "b", "c"]);
});

test("an event whose write is in flight does not hold up the others", async () => {
  const { queue, started } = manualQueue(2, 10);
  queue.push("a", "a1");
  queue.push("a", "a2");
  queue.push("b", "b1");
  expect(started).toEqual(["a1", "b1"]);
});

test("a full queue rejects new events and still merges known ones", async () => {
  const { queue, started, end } = manualQueue(1, 1);
  expect([queue.push("a", "a"), queue.push("b", "b1"), queue.push("c", "c"), queue.push("b", "b2")]).toEqual([
    true,
    true,
    false,
    true,
  ]);
  await end("a");
  expect(started).toEqual(["a", "b1+b2"]);
});

test("flush waits for writes in flight and for queued ones, and not for dropped ones", async () => {
  const { queue, started, end } = manualQueue(1, 10);
  await queue.flush();
  queue.push("a", "a");
  queue.push("b", "b");
  queue.push("c", "c");
  let flushed = false;
  const flush = queue.flush().then(() => {
    flushed = true;
  });
  await end("a");
  expect([started, flushed]).toEqual([["a", "b"], false]);
  queue.clear();
  expect(flushed).toBe(false);
  await end("b");
  await flush;
  expect(started).toEqual(["a", "b"]);
});
