import { expect, test } from "vitest";
import { ClientLimits } from "./client-limits.ts";

test("a client has a number of places, and counts as one with few questions up to five of them", () => {
  const limits = new ClientLimits(7);
  const entered = Array.from({ length: 8 }, () => ({ enters: limits.enter("a"), hasFew: limits.hasFew("a") }));
  expect(entered.map(({ enters }) => enters)).toEqual([...Array.from({ length: 7 }, () => true), false]);
  expect(entered.map(({ hasFew }) => hasFew)).toEqual([true, true, true, true, true, false, false, false]);
  expect(limits.enter("b") && limits.hasFew("b")).toBe(true);
  for (let i = 0; i < 2; i++) limits.leave("a");
  expect(limits.hasFew("a")).toBe(true);
});
