import { expect, test } from "vitest";
import { FakeEventLoop } from "./fake-event-loop.ts";
import { type InterruptibleSteps, LongWork } from "./long-work.ts";

/** So many steps of a millisecond each; ends early if it is told to. */
function* steps(loop: FakeEventLoop, count: number): InterruptibleSteps<number> {
  for (let i = 0; i < count; i++) {
    loop.pass(1);
    if (yield) return -i;
  }
  return count;
}

test("short work is done at once", () => {
  const loop = new FakeEventLoop();
  expect([new LongWork(loop).run(steps(loop, 3)), loop.waiting]).toEqual([3, 0]);
});

test("long work is done in slices, one in a turn", async () => {
  const loop = new FakeEventLoop();
  const work = new LongWork(loop);
  const results = Promise.all([work.run(steps(loop, 20)), work.run(steps(loop, 20))]);
  const before = loop.nowMs();
  await Promise.resolve();
  const longest: number[] = [];
  for (let last = before; ; last = loop.nowMs()) {
    await new Promise((resolve) => void setImmediate(resolve));
    if (!loop.turn()) break;
    await new Promise((resolve) => void setImmediate(resolve));
    longest.push(loop.nowMs() - last);
  }
  expect(await results).toEqual([20, 20]);
  expect(Math.max(...longest)).toBeLessThanOrEqual(6);
});

test("work is told that nobody waits for it", async () => {
  const loop = new FakeEventLoop();
  const controller = new AbortController();
  const result = new LongWork(loop).run(steps(loop, 100), controller.signal);
  controller.abort();
  await loop.settle();
  expect(await result).toBeLessThan(0);
});
