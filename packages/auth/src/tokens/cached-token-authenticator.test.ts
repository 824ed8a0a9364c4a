import { FakeClock } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { cachedTokenAuthenticator } from "./cached-token-authenticator.ts";
import type { TokenResult } from "./token-authenticator.ts";

const alice: TokenResult = { type: "authenticated", user: { name: "alice", groups: [], extra: {} } };
const unknown: TokenResult = { type: "noOpinion" };
const rejected: TokenResult = { type: "rejected", reason: "expired" };

test.each<[string, TokenResult, { ttlMs: number; unknownTtlMs?: number }, readonly [number, number, number]]>([
  ["an identity is kept for its time", alice, { ttlMs: 10 }, [1, 1, 2]],
  ["an unknown token is asked for each time", unknown, { ttlMs: 10 }, [1, 2, 3]],
  ["an unknown token is kept for a time of its own", unknown, { ttlMs: 10, unknownTtlMs: 10 }, [1, 1, 2]],
  ["a rejection is never kept", rejected, { ttlMs: 10, unknownTtlMs: 10 }, [1, 2, 3]],
  ["nothing is kept for no time", alice, { ttlMs: 0, unknownTtlMs: 0 }, [1, 2, 3]],
])("%s", async (_name, result, times, checks) => {
  const clock = new FakeClock();
  let asked = 0;
  const authenticateToken = () => {
    asked++;
    return result;
  };
  const cached = cachedTokenAuthenticator({ authenticateToken }, { ...times, maxEntries: 9, clock });
  const seen: number[] = [];
  for (const passes of [0, 9, 1]) {
    clock.advance(passes);
    expect(await cached.authenticateToken("one", ["api"])).toEqual(result);
    seen.push(asked);
  }
  expect(seen).toEqual(checks);
});

test("audiences with spaces are not taken for several", async () => {
  const inner = (_: string, audiences: readonly string[]): TokenResult => (audiences.includes("a b") ? alice : unknown);
  const cached = cachedTokenAuthenticator(
    { authenticateToken: inner },
    { ttlMs: 1000, maxEntries: 9, clock: new FakeClock() },
  );
  expect(await cached.authenticateToken("one", ["a b"])).toEqual(alice);
  expect(await cached.authenticateToken("one", ["a", "b"])).toEqual(unknown);
});
