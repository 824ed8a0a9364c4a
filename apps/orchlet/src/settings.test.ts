import { expect, test } from "vitest";
import { settingErrors } from "./settings.ts";

test.each([
  [new Map(), true],
  [new Map([["failSwapOn", true]]), true],
  [new Map([["failSwapOn", false]]), false],
])("a machine that swaps is an error with %j: %s", (given, isError) => {
  const errors = settingErrors((field) => given.get(field), ["/dev/swap"]);
  expect(errors.some((error) => error.includes("swap is on (/dev/swap)"))).toBe(isError);
});
