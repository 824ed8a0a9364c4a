import { describe, expect, test } from "vitest";
import { WatchPacer } from "./watch-pacer.ts";

function fixture(size: number) {
  const timers: (() => void)[] = [];
  const clock = {
    setTimeout(callback: () => void) {
      timers.push(callback);
      return undefined;
    },
  };
  const calls: string[] = [];
  const watcher = { pause: () => calls.push("pause"), resume: () => calls.push("resume") };
  return { pacer: new WatchPacer(clock, () => size), timers, calls, watcher };
}

describe("WatchPacer", () => {
  test("few watchers are never held", () => {
    const { pacer, timers, calls, watcher } = fixture(63);
    pacer.written(watcher);
    expect([calls, timers.length]).toEqual([[], 0]);
  });

  test("a crowd gathers until one shared timer ends", () => {
    const { pacer, timers, calls, watcher } = fixture(64);
    pacer.written(watcher);
    pacer.written(watcher);
    expect([calls, timers.length]).toEqual([["pause", "pause"], 1]);
    timers[0]?.();
    expect(calls).toEqual(["pause", "pause", "resume", "resume"]);
  });

  test("one that writes while being released is held anew, with a timer of its own", () => {
    const { pacer, timers, calls } = fixture(64);
    const busy = {
      pause: () => calls.push("pause"),
      resume: () => {
        calls.push("resume");
        if (calls.length < 4) pacer.written(busy);
      },
    };
    pacer.written(busy);
    timers[0]?.();
    expect([calls, timers.length]).toEqual([["pause", "resume", "pause"], 2]);
  });
});
