import { FakeClock } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { createTokenBucket } from "./rate-limiter.ts";

test("a burst passes at once, and then requests are served in order at the rate", async () => {
  const clock = new FakeClock();
  const bucket = createTokenBucket({ qps: 10, burst: 2, clock });
  expect([bucket.take(), bucket.take()]).toEqual([undefined, undefined]);
  const served: string[] = [];
  for (const name of ["third", "fourth"]) void bucket.take()?.then(() => served.push(name));
  await clock.advanceAsync(99);
  expect(served).toEqual([]);
  await clock.advanceAsync(1);
  expect(served).toEqual(["third"]);
  await clock.advanceAsync(100);
  expect(served).toEqual(["third", "fourth"]);
});

test("tokens accumulate to the burst and no further", () => {
  const clock = new FakeClock();
  const bucket = createTokenBucket({ qps: 10, burst: 2, clock });
  bucket.take();
  clock.advance(3_600_000);
  expect([bucket.take(), bucket.take()]).toEqual([undefined, undefined]);
  expect(bucket.take()).toBeInstanceOf(Promise);
});

test("a wait that is aborted ends with its reason, and those behind it wait as long as before", async () => {
  const clock = new FakeClock();
  const bucket = createTokenBucket({ qps: 1, burst: 1, clock });
  bucket.take();
  const abort = new AbortController();
  const second = bucket.take(abort.signal);
  let served = false;
  void bucket.take()?.then(() => {
    served = true;
  });
  abort.abort(new Error("enough"));
  await expect(second).rejects.toThrow("enough");
  await clock.advanceAsync(1999);
  expect(served).toBe(false);
  await clock.advanceAsync(1);
  expect(served).toBe(true);
});
