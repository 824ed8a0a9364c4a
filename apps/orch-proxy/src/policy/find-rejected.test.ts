import { expect, test } from "vitest";
import { findRejected } from "./find-rejected.ts";

const items = Array.from({ length: 1_000 }, (_, i) => i);

test.each([[[]], [[0]], [[999]], [[17, 18, 600]], [[...items.slice(0, 5)]]])("%j are found", async (bad) => {
  let checks = 0;
  const found = await findRejected(items, async (tried) => {
    checks++;
    return !tried.some((item) => bad.includes(item));
  });
  expect(found).toEqual(bad);
  expect(checks).toBeLessThanOrEqual(1 + 2 * 10 * bad.length);
});

test("of no items none is rejected", async () => {
  expect(await findRejected([], async () => false)).toEqual([]);
});
