import { expect, test } from "vitest";
import { Deadlines } from "./deadlines.ts";

/** A clock that is turned by hand. */
function handClock() {
  let nowMs = 1000;
  const timers = new Map<object, { readonly atMs: number; readonly callback: () => void }>();
  return {
    timers,
    now: () => nowMs,
    setTimeout(callback: () => void, delayMs: number) {
      const handle = {};
      timers.set(handle, { atMs: nowMs + delayMs, callback });
      return handle;
    },
    clearTimeout: (handle: unknown) => void timers.delete(handle as object),
    advance(ms: number) {
      const end = nowMs + ms;
      for (;;) {
        const next = [...timers].filter(([, { atMs }]) => atMs <= end).sort(([, a], [, b]) => a.atMs - b.atMs)[0];
        if (next === undefined) break;
        timers.delete(next[0]);
        nowMs = next[1].atMs;
        next[1].callback();
      }
      nowMs = end;
    },
  };
}

test("what does not end in time is told once, in the order it was added", () => {
  const clock = handClock();
  const late: string[] = [];
  const deadlines = new Deadlines<string>(clock, 100, (item) => late.push(`${item} ${clock.now()}`));
  deadlines.add("a");
  clock.advance(30);
  const b = deadlines.add("b");
  deadlines.add("c");
  clock.advance(30);
  deadlines.delete(b);
  deadlines.delete(b);
  expect(late).toEqual([]);
  clock.advance(500);
  expect(late).toEqual(["a 1100", "c 1130"]);
  const d = deadlines.add("d");
  clock.advance(99);
  deadlines.delete(d);
  deadlines.add("e");
  clock.advance(100);
  expect(late).toEqual(["a 1100", "c 1130", "e 1759"]);
});

test("one timer for all, none when nothing is left", () => {
  const clock = handClock();
  const deadlines = new Deadlines<number>(clock, 100, () => undefined);
  for (let i = 0; i < 10; i++) {
    deadlines.delete(deadlines.add(i));
    clock.advance(5);
  }
  expect(clock.timers.size).toBe(1);
  clock.advance(100);
  expect(clock.timers.size).toBe(0);
});

test("without a limit nothing is late", () => {
  const clock = handClock();
  const deadlines = new Deadlines<string>(clock, 0, () => expect.fail("nothing is late"));
  deadlines.add("a");
  expect(clock.timers.size).toBe(0);
});
