import { expect, test } from "vitest";
import { readSettings } from "./settings.ts";

test.each([
  [new Map(), true],
  [new Map([["failSwapOn", true]]), true],
  [new Map([["failSwapOn", false]]), false],
])("a machine that swaps is an error with %j: %s", async (given, isError) => {
  const { errors } = await readSettings("", given, ["/dev/swap"]);
  expect(errors.some((error) => error.includes("swap is on (/dev/swap)"))).toBe(isError);
});
