import { expect, test } from "vitest";
import { formatLeaseClaim, parseLeaseClaim } from "./lease-claim.ts";

test.each(["node-1_5d5a", "a b;c=d/ä\n", "%41"])("a claim of holder %j is read as it was written", (holder) => {
  const claim = { namespace: "orch-system", name: "orch-scheduler", holder, transitions: 2147483647 };
  const text = formatLeaseClaim(claim);
  expect(text).toMatch(/^[\x21-\x7e]+$/);
  expect(parseLeaseClaim(text)).toEqual(claim);
});

test.each([
  "",
  "a/b",
  "a/b;holder=;transitions=1",
  "a/b;holder=x;transitions=-1",
  "a/b;holder=x;transitions=1;more=2",
  "a/b/c;holder=x;transitions=1",
  "A/b;holder=x;transitions=1",
  "a/b;holder=%E0%A4%A;transitions=1",
  `a/b;holder=${"x".repeat(2048)};transitions=1`,
])("%j is no claim", (text) => {
  expect(parseLeaseClaim(text)).toBeUndefined();
});
