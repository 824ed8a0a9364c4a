import { FakeClock } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { PacedJob } from "./paced-job.ts";

test("a flood of requests runs the job at once, and then once per interval, the last time after the last request", () => {
  const clock = new FakeClock();
  let state = 0;
  const runs: [ms: number, state: number][] = [];
  const job = new PacedJob(() => void runs.push([clock.monotonicMs(), state]), { intervalMs: 100, clock });
  for (let ms = 0; ms < 250; ms++) {
    state = ms;
    job.request();
    clock.advance(1);
  }
  clock.advance(1000);
  expect(runs).toEqual([
    [0, 0],
    [100, 99],
    [200, 199],
    [300, 249],
  ]);
  job.request();
  expect(runs).toHaveLength(5);
  expect(clock.waiting).toBe(1);
});

test("a job that is due can be run at once", () => {
  const clock = new FakeClock();
  let runs = 0;
  const job = new PacedJob(() => void runs++, { intervalMs: 100, clock });
  job.flush();
  expect(runs).toBe(0);
  job.request();
  job.flush();
  expect(runs).toBe(1);
  job.request();
  job.request();
  job.flush();
  expect([runs, clock.waiting]).toEqual([3, 0]);
});
