import type { Client } from "@orchernetes/client";
import { systemClock } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { createLastKnown } from "../../objects/last-known.ts";
import { testPod } from "../../testing/pods.ts";
import { createServiceAccountTokens } from "./service-account-tokens.ts";

test("a token is renewed in time, even if the clock is set back by hours", async () => {
  let passedMs = 0;
  let nowMs = Date.parse("2026-01-01T12:00:00Z");
  const clock = { ...systemClock, now: () => new Date(nowMs), monotonicMs: () => passedMs };
  let made = 0;
  const create = async () => {
    made += 1;
    return { status: { token: `t${made}`, expirationTimestamp: new Date(nowMs + 3_600_000).toISOString() } };
  };
  const client = {
    resource: () => ({ namespace: () => ({ subresource: () => ({ create }) }) }),
  } as unknown as Client;
  const tokens = createServiceAccountTokens(client, createLastKnown(clock), clock);
  const get = async () => (await tokens.get(testPod({}), {})).token;
  expect(await get()).toBe("t1");
  nowMs -= 5 * 3_600_000;
  passedMs = 40 * 60_000;
  expect(await get()).toBe("t1");
  passedMs = 50 * 60_000;
  expect(await get()).toBe("t2");
});
