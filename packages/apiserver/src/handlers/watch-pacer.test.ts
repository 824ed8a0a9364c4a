import { FakeEventLoop, type Timer } from "@orchernetes/kernel";
import { describe, expect, test } from "vitest";
import { WatchPacer } from "./watch-pacer.ts";

/** A pacer whose clock advances by `writeMs` for every watcher that is resumed, and to the due time of each timer. */
function fixture(size: number, writeMs = 0) {
  const timers: { readonly run: () => void; readonly afterMs: number; readonly dueMs: number }[] = [];
  let now = 0;
  let rounds = 0;
  const clock = {
    nowMs: () => now,
    setTimeout(run: () => void, afterMs: number) {
      timers.push({ run, afterMs, dueMs: now + afterMs });
      const timer: Timer = { clear: () => expect.fail("no timer is cleared"), unref: () => timer };
      return timer;
    },
  };
  const calls: string[] = [];
  const watcher = (name = "") => ({
    pause: () => calls.push(`pause${name}`),
    resume: () => {
      now += writeMs;
      loop.pass(writeMs);
      calls.push(`resume${name}`);
    },
  });
  const loop = new FakeEventLoop();
  const pacer = new WatchPacer({ clock, loop, size: () => size, onRest: () => void rounds++ });
  const runTimer = () => {
    const timer = timers.shift();
    now = Math.max(now, timer?.dueMs ?? 0);
    timer?.run();
  };
  /** Runs timers until a round begins: when that is. */
  const gather = () => {
    for (const seen = calls.length; calls.length === seen && timers.length > 0; ) runTimer();
    return now;
  };
  return { pacer, calls, watcher, timers, loop, runTimer, gather, rounds: () => rounds };
}

describe("WatchPacer", () => {
  test("few watchers are never paused", () => {
    const { pacer, timers, calls, watcher } = fixture(63);
    pacer.written(watcher());
    expect([calls, timers.length, pacer.crowded]).toEqual([[], 0, false]);
  });

  test("many watchers gather until one shared timer fires", () => {
    const { pacer, timers, calls, watcher, runTimer, rounds } = fixture(64);
    pacer.written(watcher("1"));
    pacer.written(watcher("2"));
    expect([calls, timers.length, rounds()]).toEqual([["pause1", "pause2"], 1, 0]);
    runTimer();
    expect([calls.slice(2), rounds()]).toEqual([["resume1", "resume2"], 1]);
  });

  test("a watcher that writes while it is resumed is paused again, with a timer of its own", () => {
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
    { name: "few gather for the least time", held: 100, gatherMs: 8 },
    { name: "more gather for longer", held: 400, gatherMs: 30 },
    { name: "up to a bound", held: 9000, gatherMs: 300 },
  ])("$name", ({ held, gatherMs }) => {
    const { pacer, watcher, calls, gather } = fixture(held);
    for (let i = 0; i < held; i++) pacer.written(watcher());
    calls.length = 0;
    expect([gather(), calls.length]).toEqual([gatherMs, held]);
  });

  test("a long round runs in several turns, and watchers that gather meanwhile wait for it", () => {
    const { pacer, loop, timers, calls, watcher, runTimer, rounds } = fixture(64, 6);
    for (const name of ["1", "2", "3"]) pacer.written(watcher(name));
    calls.length = 0;
    runTimer();
    expect([calls, timers.length, rounds()]).toEqual([["resume1", "resume2"], 0, 0]);
    pacer.written(watcher("4"));
    loop.turn();
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

  test("a watcher can be resumed separately, and only if it was paused", () => {
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
