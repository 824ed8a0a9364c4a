import { FakeClock } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import type { MetricStorage } from "../storage/metric-storage.ts";
import type { MetricsBatch } from "../storage/metrics-batch.ts";
import { Collector } from "./collector.ts";

function setUp(scrape: (signal: AbortSignal, clock: FakeClock) => Promise<void>) {
  const clock = new FakeClock("2023-06-01T00:00:00Z");
  const beganMs = clock.nowMs();
  const starts: number[] = [];
  const stored: number[] = [];
  const durations: number[] = [];
  const collector = new Collector({
    async scrape(signal) {
      starts.push(clock.nowMs() - beganMs);
      await scrape(signal, clock);
      return {} as MetricsBatch;
    },
    storage: { store: () => void stored.push(clock.nowMs() - beganMs) } as unknown as MetricStorage,
    resolutionMs: 1000,
    metrics: { requested() {}, ticked: (ms) => void durations.push(ms) },
    clock,
  });
  return { clock, collector, starts, stored, durations };
}

test("it reads at once and then at every resolution, however long a reading takes", async () => {
  const { clock, collector, starts, durations } = setUp((signal, clock) =>
    clock.sleep(300, signal).catch(() => undefined),
  );
  const stop = new AbortController();
  const done = collector.run(stop.signal);
  for (let i = 0; i < 30; i++) await clock.advanceAsync(100);
  stop.abort();
  await done;
  expect(starts).toEqual([0, 1000, 2000, 3000].slice(0, starts.length));
  expect(starts.length).toBeGreaterThanOrEqual(3);
  expect(durations.slice(0, 2)).toEqual([300, 300]);
});

test("a reading is ended when the next one is due, and what it found is stored", async () => {
  const { clock, collector, starts, stored } = setUp(
    (signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve())),
  );
  const stop = new AbortController();
  const done = collector.run(stop.signal);
  for (let i = 0; i < 25; i++) await clock.advanceAsync(100);
  expect(starts).toEqual([0, 1000, 2000]);
  expect(stored).toEqual([1000, 2000]);
  stop.abort();
  await done;
});

test("its check fails when no reading has begun for too long", async () => {
  const { clock, collector } = setUp((_, clock) => clock.sleep(10_000_000));
  const { check } = collector.timelyCheck;
  expect(() => check(AbortSignal.abort())).not.toThrow();
  const stop = new AbortController();
  const done = collector.run(stop.signal);
  await clock.advanceAsync(1500);
  expect(() => check(AbortSignal.abort())).not.toThrow();
  await clock.advanceAsync(1);
  expect(() => check(AbortSignal.abort())).toThrow("metric collection didn't finish on time");
  stop.abort();
  await clock.advanceAsync(20_000_000);
  await done;
});
