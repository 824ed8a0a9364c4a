import { expect, test } from "vitest";
import { FakeClock } from "./fake-clock.ts";

test("fake timers fire in order, intervals repeat, cleared ones stay silent", () => {
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
