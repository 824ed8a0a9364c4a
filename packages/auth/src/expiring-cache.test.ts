import { FakeClock } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { ExpiringCache } from "./expiring-cache.ts";

/** A cache of two entries of which each lasts 10 ms, but negative ones for no time; values count the loads. */
function setup() {
  const clock = new FakeClock();
  const cache = new ExpiringCache<number>({ limit: 2, ttlMs: (value) => (value < 0 ? 0 : 10), clock });
  let loads = 0;
  return { clock, cache, get: async (key: string) => cache.get(key, async () => ++loads) };
}

test("a value is kept for its time, counted from the beginning of its load", async () => {
  const { clock, cache, get } = setup();
  const slow = Promise.withResolvers<number>();
  const loading = cache.get("a", () => slow.promise);
  clock.advance(9);
  slow.resolve(100);
  expect(await loading).toBe(100);
  expect(cache.get("a", () => 0)).toBe(100);
  clock.advance(1);
  expect(await get("a")).toBe(1);
});

test("look-ups of one key share one load", async () => {
  const { get } = setup();
  expect(await Promise.all([get("a"), get("a"), get("b")])).toEqual([1, 1, 2]);
});

test("failures and values without a time are not kept", async () => {
  const { cache, get } = setup();
  await expect(cache.get("a", () => Promise.reject(new Error("x")))).rejects.toThrow("x");
  await expect(
    cache.get("a", () => {
      throw new Error("y");
    }),
  ).rejects.toThrow("y");
  expect(await cache.get("a", async () => -1)).toBe(-1);
  expect(await get("a")).toBe(1);
});

test("the least recently used entry makes room", async () => {
  const { get } = setup();
  await get("a");
  await get("b");
  await get("a");
  await get("c");
  expect([await get("a"), await get("c"), await get("b")]).toEqual([1, 3, 4]);
});

test("a load that has lost its place does not put a value back", async () => {
  const { cache, get } = setup();
  const slow = Promise.withResolvers<number>();
  const loading = cache.get("a", () => slow.promise);
  await get("b");
  await get("c");
  slow.resolve(100);
  expect(await loading).toBe(100);
  expect([await get("b"), await get("c"), await get("a")]).toEqual([1, 2, 3]);
});
