import { FakeClock } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { ReplyCache, type Resolution } from "./reply-cache.ts";

const reply = (cacheSeconds: number, bytes = 100): Resolution => ({
  kind: "reply",
  reply: { bytes: Buffer.alloc(bytes), rcode: 0, flags: 0, answers: [], authorities: [], cacheSeconds },
});

test("an answer is cached as long as it says, but not longer than the cache allows, and tells its age", () => {
  const clock = new FakeClock();
  const cache = new ReplyCache({ clock, maxSeconds: 30 });
  cache.set("short", reply(2));
  cache.set("long", reply(3600));
  cache.set("never", reply(0));
  cache.set("failed", { kind: "failed" });
  clock.advance(1999);
  expect(cache.get("short")).toMatchObject({ ageSeconds: 1 });
  expect(cache.get("never")).toBeUndefined();
  clock.advance(1);
  expect(cache.get("short")).toBeUndefined();
  expect(cache.get("failed")).toBeDefined();
  clock.advance(3000);
  expect(cache.get("failed")).toBeUndefined();
  clock.advance(24_999);
  expect(cache.get("long")).toMatchObject({ ageSeconds: 29 });
  clock.advance(1);
  expect(cache.get("long")).toBeUndefined();
  expect(cache.size).toEqual({ entries: 0, bytes: 0 });
});

test("a full cache removes what was read longest ago", () => {
  const cache = new ReplyCache({ clock: new FakeClock(), maxEntries: 2 });
  cache.set("a", reply(9));
  cache.set("b", reply(9));
  cache.get("a");
  cache.set("c", reply(9));
  expect(["a", "b", "c"].map((key) => cache.get(key) !== undefined)).toEqual([true, false, true]);
});

test("the sizes of all answers stay below the limit, and larger ones are not cached", () => {
  const cache = new ReplyCache({ clock: new FakeClock(), maxBytes: 10_000 });
  for (let i = 0; i < 100; i++) cache.set(`${i}`, reply(9, 1000));
  expect(cache.size.bytes).toBeLessThanOrEqual(10_000);
  expect(cache.size.entries).toBe(7);
  cache.set("large", reply(9, 20_000));
  expect(cache.get("large")).toBeUndefined();
});
