import { FakeClock } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { Expectations } from "./expectations.ts";

test.each([
  ["nothing expected", () => {}, true],
  ["creations outstanding", (e: Expectations) => e.expectCreations("k", 2), false],
  [
    "some creations seen",
    (e: Expectations) => {
      e.expectCreations("k", 2);
      e.creationObserved("k");
    },
    false,
  ],
  [
    "all creations seen",
    (e: Expectations) => {
      e.expectCreations("k", 2);
      e.creationObserved("k", 2);
    },
    true,
  ],
  [
    "the same deletion seen twice",
    (e: Expectations) => {
      e.expectDeletions("k", ["u1", "u2"]);
      e.deletionObserved("k", "u1");
      e.deletionObserved("k", "u1");
    },
    false,
  ],
  [
    "all deletions seen",
    (e: Expectations) => {
      e.expectDeletions("k", ["u1", "u2"]);
      e.deletionObserved("k", "u1");
      e.deletionObserved("k", "u2");
    },
    true,
  ],
  ["another key's", (e: Expectations) => e.expectCreations("other", 1), true],
])("%s", (_, act, want) => {
  const expectations = new Expectations(new FakeClock());
  act(expectations);
  expect(expectations.satisfied("k")).toBe(want);
});

test("expire after five minutes", () => {
  const clock = new FakeClock();
  const expectations = new Expectations(clock);
  expectations.expectCreations("k", 1);
  expect(expectations.expiresInMs("k")).toBe(300_001);
  clock.advance(300_000);
  expect(expectations.satisfied("k")).toBe(false);
  clock.advance(1);
  expect(expectations.satisfied("k")).toBe(true);
});
