import { expect, test } from "vitest";
import { nextGeneration } from "./next-generation.ts";

test.each([
  ["none yet", undefined, 1],
  ["one more", 4, 5],
  ["the greatest there is stays", Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
])("%s", (_name, generation, want) => {
  expect(nextGeneration(generation)).toBe(want);
});
