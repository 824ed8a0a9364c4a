import { FakeClock } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { BoundedRunner } from "./bounded-runner.ts";

function runner(work: (run: number) => Promise<void> = async () => undefined) {
  const clock = new FakeClock("2023-06-01T00:00:00Z");
  const start = clock.nowMs();
  const runs: number[] = [];
  const errors: number[] = [];
  const bounded = new BoundedRunner(
    { clock, minIntervalMs: 1000, maxIntervalMs: 30_000 },
    () => {
      runs.push(clock.nowMs() - start);
      return work(runs.length);
    },
    (_, retryMs) => errors.push(retryMs),
  );
  /** Lets promises settle between the steps of the time. */
  const pass = async (ms: number) => {
    for (let i = 0; i < ms; i += 100) {
      clock.advance(Math.min(100, ms - i));
      for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    }
  };
  return { clock, runs, errors, bounded, pass };
}

test("two runs may follow each other at once, further ones wait for the interval, and requests are collected", async () => {
  const { runs, bounded, pass } = runner();
  await pass(1000);
  expect(runs).toEqual([]);
  for (let i = 0; i < 10; i++) {
    bounded.request();
    await pass(100);
  }
  await pass(3000);
  expect(runs).toEqual([1000, 1100, 2000]);
});

test("without requests it runs at the longest interval", async () => {
  const { runs, bounded, pass } = runner();
  bounded.request();
  await pass(61_000);
  expect(runs).toEqual([0, 30_100, 60_100]);
});

test("a request during a run leads to one more, and stopping waits for the run", async () => {
  const gate = Promise.withResolvers<void>();
  const { runs, bounded, pass } = runner((run) => (run === 1 ? gate.promise : Promise.resolve()));
  bounded.request();
  await pass(100);
  bounded.request();
  bounded.request();
  await pass(500);
  expect(runs).toHaveLength(1);
  gate.resolve();
  await pass(500);
  expect(runs).toHaveLength(2);
  await bounded.stop();
  bounded.request();
  await pass(60_000);
  expect(runs).toHaveLength(2);
});

test("failures are retried with growing delays, whatever is requested meanwhile", async () => {
  const { errors, runs, bounded, pass } = runner((run) =>
    run <= 3 ? Promise.reject(new Error("no")) : Promise.resolve(),
  );
  bounded.request();
  await pass(200);
  bounded.request();
  await pass(8000);
  expect(errors).toEqual([1000, 2000, 4000]);
  expect(runs).toHaveLength(4);
});
