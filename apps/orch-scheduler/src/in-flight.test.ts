import { FakeClock } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { InFlight } from "./in-flight.ts";

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("work can start again when other work has ended", async () => {
  const work = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const inFlight = new InFlight(2);
  for (const { promise } of work) inFlight.start(() => promise);
  let room = false;
  void inFlight.room(new AbortController().signal).then(() => {
    room = true;
  });
  await settled();
  expect([room, inFlight.count]).toEqual([false, 2]);
  work[1]?.resolve();
  await settled();
  expect([room, inFlight.count]).toEqual([true, 1]);
});

test("many items are processed a few at a time", async () => {
  const inFlight = new InFlight(100);
  const begun: PromiseWithResolvers<void>[] = [];
  const items: string[] = [];
  let ended = false;
  const all = inFlight.startEach(["a", "b", "c", "d", "e"], 2, (item) => {
    items.push(item);
    const work = Promise.withResolvers<void>();
    begun.push(work);
    return work.promise;
  });
  void all.then(() => {
    ended = true;
  });
  expect([items, inFlight.count]).toEqual([["a", "b"], 2]);
  begun[1]?.resolve();
  await settled();
  expect([items, inFlight.count, ended]).toEqual([["a", "b", "c"], 2, false]);
  for (let i = 0; i < 5; i++) {
    begun[i]?.resolve();
    await settled();
  }
  expect([items, inFlight.count, ended]).toEqual([["a", "b", "c", "d", "e"], 0, true]);
  inFlight.startEach([], 2, () => Promise.reject(new Error("nothing to do")));
  expect(inFlight.count).toBe(0);
});

test("waiting for room ends when the signal aborts", async () => {
  const inFlight = new InFlight(1);
  inFlight.start(() => new Promise(() => undefined));
  const controller = new AbortController();
  const waiting = inFlight.room(controller.signal);
  controller.abort();
  await waiting;
  expect(inFlight.count).toBe(1);
});

test.each([
  ["everything has ended", 0],
  ["it has taken too long", 3000],
])("waiting for the end is over when %s", async (_, advanceMs) => {
  const clock = new FakeClock();
  const work = Promise.withResolvers<void>();
  const inFlight = new InFlight(1);
  inFlight.start(() => work.promise);
  let over = false;
  void inFlight.idle(clock, 3000).then(() => {
    over = true;
  });
  await clock.advanceAsync(2999);
  expect(over).toBe(false);
  if (advanceMs === 0) work.resolve();
  await clock.advanceAsync(advanceMs);
  await settled();
  expect([over, clock.waiting]).toEqual([true, 0]);
});
