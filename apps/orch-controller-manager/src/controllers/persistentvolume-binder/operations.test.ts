import { silentLogger, systemClock } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { createOperations } from "./operations.ts";

test("operations with the same name do not run concurrently, nor immediately after a failure", async () => {
  let nowMs = 0;
  const clock = { ...systemClock, monotonicMs: () => nowMs };
  const { signal } = new AbortController();
  const operations = createOperations({ clock, logger: silentLogger, signal, maxConcurrent: 2 });
  const done: string[] = [];
  const fail = (name: string) => async (): Promise<void> => {
    done.push(name);
    throw new Error("no");
  };
  operations.start("a", fail("a1"));
  operations.start("a", fail("a2"));
  operations.start("b", async () => void done.push("b"));
  await operations.settled();
  expect(done).toEqual(["a1", "b"]);
  // Milliseconds after the failure before, and whether it is tried again: the time doubles.
  for (const [afterMs, isTried] of [
    [499, false],
    [1, true],
    [999, false],
    [1, true],
    [1999, false],
    [1, true],
  ] as const) {
    nowMs += afterMs;
    done.length = 0;
    operations.start("a", fail("again"));
    await operations.settled();
    expect(done).toEqual(isTried ? ["again"] : []);
  }
  nowMs += 4000;
  operations.start("a", async () => void done.push("well"));
  await operations.settled();
  operations.start("a", async () => void done.push("at once"));
  await operations.settled();
  expect(done).toEqual(["again", "well", "at once"]);
});

test("operations beyond the limit wait for their turn, once each and in order, and are dropped at the end", async () => {
  const stop = new AbortController();
  const { signal } = stop;
  const operations = createOperations({ clock: systemClock, logger: silentLogger, signal, maxConcurrent: 2 });
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const start = (name: string): void =>
    operations.start(name, () => {
      started.push(name);
      return new Promise((resolve) => ends.set(name, resolve));
    });
  for (const name of ["a", "b", "c", "d", "c", "e", "f"]) start(name);
  expect(started).toEqual(["a", "b"]);
  ends.get("b")?.();
  await expect.poll(() => started).toEqual(["a", "b", "c"]);
  ends.get("a")?.();
  ends.get("c")?.();
  await expect.poll(() => started).toEqual(["a", "b", "c", "d", "e"]);
  stop.abort();
  ends.get("d")?.();
  ends.get("e")?.();
  await operations.settled();
  start("g");
  expect(started).toEqual(["a", "b", "c", "d", "e"]);
});
