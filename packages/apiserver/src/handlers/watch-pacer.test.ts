import { describe, expect, test } from "vitest";
import { WatchPacer } from "./watch-pacer.ts";

/** A pacer whose clock goes on by `writeMs` with every watcher that is resumed. */
function fixture(size: number, writeMs = 0) {
  const timers: { readonly run: () => void; readonly afterMs: number }[] = [];
  let now = 0;
  let rounds = 0;
  const clock = {
    now: () => now,
    setTimeout(run: () => void, afterMs: number) {
      timers.push({ run, afterMs });
      return undefined;
    },
  };
  const calls: string[] = [];
  const watcher = (name = "") => ({
    pause: () => calls.push(`pause${name}`),
    resume: () => {
      now += writeMs;
      calls.push(`resume${name}`);
    },
  });
  const pacer = new WatchPacer(
    clock,
    () => size,
    () => void rounds++,
  );
  return { pacer, calls, watcher, timers, runTimer: () => timers.shift()?.run(), rounds: () => rounds };
}

describe("WatchPacer", () => {
  test("few watchers are never held", () => {
    const { pacer, timers, calls, watcher } = fixture(63);
    pacer.written(watcher());
    expect([calls, timers.length, pacer.crowded]).toEqual([[], 0, false]);
  });

  test("a crowd gathers until one shared timer ends", () => {
    const { pacer, timers, calls, watcher, runTimer, rounds } = fixture(64);
    pacer.written(watcher("1"));
    pacer.written(watcher("2"));
    expect([calls, timers.length, rounds()]).toEqual([["pause1", "pause2"], 1, 0]);
    runTimer();
    expect([calls.slice(2), rounds()]).toEqual([["resume1", "resume2"], 1]);
  });

  test("one that writes while being released is held anew, with a timer of its own", () => {
    const { pacer, timers, calls, runTimer } = fixture(64);
    const busy = {
      pause: () => calls.push("pause"),
      resume: () => {
        calls.push("resume");
        if (calls.length < 4) pacer.written(busy);
      },
    };
    pacer.written(busy);
    runTimer();
    expect([calls, timers.length]).toEqual([["pause", "resume", "pause"], 1]);
  });

  test.each([
    { name: "short rounds leave the least time", size: 64, writeMs: 0, afterMs: 8 },
    { name: "a longer round is followed by a longer gathering", size: 64, writeMs: 4, afterMs: 24 },
    { name: "up to a bound", size: 64, writeMs: 9, afterMs: 40 },
    { name: "which is greater for thousands", size: 5000, writeMs: 9, afterMs: 54 },
    { name: "and bounds them, too", size: 5000, writeMs: 99, afterMs: 250 },
  ])("$name", ({ size, writeMs, afterMs }) => {
    const { pacer, timers, watcher, runTimer } = fixture(size, writeMs);
    pacer.written(watcher());
    pacer.written(watcher());
    while (timers.length > 0) runTimer();
    pacer.written(watcher());
    expect(timers.map((timer) => timer.afterMs)).toEqual([afterMs]);
  });

  test("a long round is written in slices, and those who gather meanwhile wait for it", () => {
    const { pacer, timers, calls, watcher, runTimer, rounds } = fixture(64, 6);
    for (const name of ["1", "2", "3"]) pacer.written(watcher(name));
    calls.length = 0;
    runTimer();
    expect([calls, timers.map((timer) => timer.afterMs), rounds()]).toEqual([["resume1", "resume2"], [0], 0]);
    pacer.written(watcher("4"));
    runTimer();
    expect([calls.slice(2), rounds()]).toEqual([["pause4", "resume3"], 1]);
    runTimer();
    expect([calls.slice(4), rounds()]).toEqual([["resume4"], 2]);
  });

  test.each([
    { name: "goes on at once among few", size: 63, calls: ["resume"], timers: 0 },
    { name: "goes on with the next round in a crowd", size: 64, calls: ["pause"], timers: 1 },
  ])("one whose connection has caught up $name", ({ size, calls: want, timers: pending }) => {
    const { pacer, calls, timers, watcher } = fixture(size);
    pacer.drained(watcher());
    expect([calls, timers.length]).toEqual([want, pending]);
  });

  test("one is let go by itself, and only if it was held", () => {
    const { pacer, calls, watcher, runTimer } = fixture(64);
    const [held, gone, free] = [watcher("1"), watcher("2"), watcher("3")];
    pacer.written(held);
    pacer.written(gone);
    pacer.release(held);
    pacer.release(free);
    pacer.forget(gone);
    runTimer();
    expect(calls).toEqual(["pause1", "pause2", "resume1"]);
  });
});
