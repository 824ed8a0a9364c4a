import { afterEach, expect, test, vi } from "vitest";
import { releaseMemoryWhenIdle } from "./idle-memory.ts";

const MB = 1024 * 1024;

afterEach(() => void vi.useRealTimers());

/** A second: how busy the event loop is in it, and how large the heap is at its end. */
interface Second {
  readonly share: number;
  readonly heapMb: number;
}

/** In which seconds, counted from 1, garbage is collected; so much stays at first. */
async function run(seconds: readonly Second[], leftMb = 30, trimmed: number[] = []): Promise<readonly number[]> {
  vi.useFakeTimers();
  const collected: number[] = [];
  let now = 0;
  let heapMb = 0;
  const stop = releaseMemoryWhenIdle({
    busyShare: () => seconds[now - 1]?.share ?? 0,
    heapBytes: () => heapMb * MB,
    async collect() {
      collected.push(now);
      heapMb = leftMb;
    },
    trim: () => void trimmed.push(now),
  });
  for (const second of seconds) {
    now++;
    heapMb = second.heapMb;
    await vi.advanceTimersByTimeAsync(1000);
  }
  stop();
  heapMb = 70;
  await vi.advanceTimersByTimeAsync(100_000);
  return collected;
}

const lasting = (count: number, share: number, heapMb: number): readonly Second[] =>
  Array.from({ length: count }, () => ({ share, heapMb }));

test.each([
  ["after three quiet seconds", [...lasting(2, 0.9, 60), ...lasting(5, 0.01, 60)], [5]],
  ["never while there is work", lasting(100, 0.06, 60), []],
  ["not between two bursts", [...lasting(2, 0, 60), ...lasting(1, 0.5, 60), ...lasting(2, 0, 60)], []],
  ["not again for very little", [...lasting(3, 0, 60), ...lasting(90, 0, 33)], [3]],
  ["60 s later if the heap has grown a little", [...lasting(3, 0, 60), ...lasting(90, 0, 36)], [3, 63]],
  ["30 s later if the heap has grown", lasting(50, 0, 60), [3, 33]],
  ["no large heap", lasting(50, 0, 201), []],
])("collects %s", async (_, seconds, want) => {
  expect(await run(seconds)).toEqual(want);
});

test("collects 60 s later what has grown since the engine returned the rest of the last collection", async () => {
  const seconds = [...lasting(3, 0, 60), ...lasting(20, 0, 58), ...lasting(20, 0, 30), ...lasting(60, 0, 36)];
  expect(await run(seconds, 58)).toEqual([3, 63]);
});

test.each([
  ["once a minute", lasting(150, 0, 30), [60, 120]],
  ["in the first quiet seconds after a minute of work", [...lasting(80, 0.9, 30), ...lasting(20, 0, 30)], [83]],
])("the C library returns its memory %s", async (_, seconds, want) => {
  const trimmed: number[] = [];
  await run(seconds, 30, trimmed);
  expect(trimmed).toEqual(want);
});

test("a failure does not affect the process", async () => {
  vi.useFakeTimers();
  const collect = vi.fn(() => Promise.reject(new Error("no inspector")));
  const stop = releaseMemoryWhenIdle({ busyShare: () => 0, heapBytes: () => 60 * MB, collect });
  await vi.advanceTimersByTimeAsync(10_000);
  stop();
  // An unhandled rejection would fail the run.
  expect(collect).toHaveBeenCalledOnce();
});

test("memory of this process is returned", async () => {
  // Small objects, so that they fill pages of the young and the old generation.
  let garbage: unknown = Array.from({ length: 300_000 }, (_, n) => ({ n }));
  expect(garbage).toBeDefined();
  garbage = undefined;
  const before = process.memoryUsage().heapTotal;
  const stop = releaseMemoryWhenIdle({ busyShare: () => 0, heapBytes: () => 60 * MB });
  try {
    await vi.waitFor(() => expect(process.memoryUsage().heapTotal).toBeLessThan(before - 4 * MB), {
      timeout: 60_000,
      interval: 200,
    });
  } finally {
    stop();
  }
}, 70_000);
