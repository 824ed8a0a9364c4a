import { expect, test } from "vitest";
import { expand } from "./expand.ts";

const values: Readonly<Record<string, string>> = { A: "a", B: "$(A)", EMPTY: "" };

test.each([
  ["plain", "plain"],
  ["$(A)", "a"],
  ["x$(A)y$(A)", "xaya"],
  ["$$(A)", "$(A)"],
  ["$$$(A)", "$a"],
  ["$(NO)", "$(NO)"],
  ["$(EMPTY)", ""],
  ["$(B)", "$(A)"],
  ["$(A", "$(A"],
  ["$A $", "$A $"],
  ["$(constructor)", "$(constructor)"],
])("%s becomes %s", (text, want) => {
  expect(expand(text, (name) => (Object.hasOwn(values, name) ? values[name] : undefined))).toBe(want);
});

test("a megabyte of unterminated references is expanded as fast as other text", () => {
  const begunMs = performance.now();
  expect(() => expand("$(".repeat(1_000_000), () => undefined)).toThrow("longer than");
  // It took several seconds in which the agent did nothing else.
  expect(performance.now() - begunMs).toBeLessThan(1000);
});
