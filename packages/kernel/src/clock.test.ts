import { expect, test, vi } from "vitest";
import { systemClock } from "./clock.ts";
import { FakeClock } from "./fake-clock.ts";

test("fake timers fire in order, intervals repeat, cleared ones do not fire", () => {
  const clock = new FakeClock("2020-01-01T00:00:00Z");
  const fired: string[] = [];
  clock.setTimeout(() => fired.push(`b@${clock.monotonicMs()}`), 20);
  clock.setTimeout(() => {
    fired.push(`a@${clock.monotonicMs()}`);
    clock.setTimeout(() => fired.push(`c@${clock.monotonicMs()}`), 5);
  }, 10);
  clock.setTimeout(() => fired.push("never"), 12).clear();
  const tick = clock.setInterval(() => fired.push(`i@${clock.monotonicMs()}`), 12);
  clock.advance(25);
  tick.clear();
  clock.advance(100);
  expect(fired).toEqual(["a@10", "i@12", "c@15", "b@20", "i@24"]);
  expect(clock.waiting).toBe(0);
  expect(clock.now().toISOString()).toBe("2020-01-01T00:00:00.125Z");
});

test("sleep ends with time or with its signal", async () => {
  const clock = new FakeClock();
  const abort = new AbortController();
  const done: string[] = [];
  const long = clock.sleep(1000, abort.signal).catch((error: unknown) => done.push(`aborted: ${String(error)}`));
  const short = clock.sleep(10).then(() => done.push("slept"));
  await clock.advanceAsync(10);
  abort.abort("enough");
  await Promise.all([long, short]);
  expect(done).toEqual(["slept", "aborted: enough"]);
  expect(clock.waiting).toBe(0);
  await expect(clock.sleep(5, abort.signal)).rejects.toBe("enough");
});

test("setting the wall clock moves neither timers nor the monotonic time", () => {
  const clock = new FakeClock("2020-01-01T00:00:00Z");
  const fired: number[] = [];
  clock.setTimeout(() => fired.push(clock.monotonicMs()), 50);
  clock.advance(20);
  clock.setNow("2030-01-01T00:00:00Z");
  expect([clock.now().toISOString(), clock.monotonicMs()]).toEqual(["2030-01-01T00:00:00.000Z", 20]);
  clock.advance(40);
  expect([fired, clock.nowMs()]).toEqual([[50], Date.parse("2030-01-01T00:00:00.040Z")]);
});

test("timers of the system clock fire once, do not fire when cleared, and can wait longer than the platform's own timers", () => {
  vi.useFakeTimers();
  try {
    const fired: string[] = [];
    systemClock.setTimeout(() => fired.push("short"), 10).unref();
    systemClock.setTimeout(() => fired.push("cleared"), 10).clear();
    const days = 24 * 3600_000;
    systemClock.setTimeout(() => fired.push("long"), 60 * days);
    const cleared = systemClock.setTimeout(() => fired.push("cleared long"), 60 * days).unref();
    vi.advanceTimersByTime(59 * days);
    expect(fired).toEqual(["short"]);
    cleared.clear();
    vi.advanceTimersByTime(2 * days);
    expect(fired).toEqual(["short", "long"]);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test("timers that became due while time stood still fire at the next advance", () => {
  const clock = new FakeClock();
  const fired: number[] = [];
  clock.setTimeout(() => fired.push(clock.monotonicMs()), 10);
  clock.stall(50);
  expect(fired).toEqual([]);
  clock.advance(0);
  expect(fired).toEqual([50]);
});
