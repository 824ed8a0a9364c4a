import { expect, test } from "vitest";
import { expandedPatternSize, maxExpandedPatternSize } from "./expanded-pattern-size.ts";
import { matches, patternError } from "./patterns.ts";
import { Failure } from "./value.ts";

test.each<[string, number, number]>([
  ["abc", 3, 3],
  ["^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", 20, 40],
  ["a{1000}", 1000, 1000],
  ["a{2,1000}", 1000, 1000],
  ["a{7,}", 7, 7],
  ["a{0,0}", 1, 1],
  ["a{b}", 4, 4],
  ["([a-z]{0,99}x){9}", 9 * 99, 9 * 99 * 7],
  ["(?:a{10}|b{20}){10}", 300, 400],
  ["\\{5\\}", 3, 3],
  ["\\p{Greek}{10}", 10, 10],
  ["\\x{10FFFF}{10}", 10, 10],
  ["[]a{9}]{10}", 10, 80],
  ["[[:alpha:]{9}]{10}", 10, 150],
  ["[\\]{9}]{10}", 10, 80],
  ["((((a{10}", 10, 14],
  ["a))){10}", 10, 40],
  ["é{20}😀{20}", 40, 60],
])("the size of %s", (pattern, least, most) => {
  expect(expandedPatternSize(pattern)).toBeGreaterThanOrEqual(least);
  expect(expandedPatternSize(pattern)).toBeLessThanOrEqual(most);
});

test.each(["(", "[", "\\p{", "[[:", "{1,", "a{1,2}", "\\", "[^", ")"])(
  "a megabyte of %s takes a time in proportion to its length",
  (piece) => {
    const pattern = piece.repeat(1_000_000 / piece.length);
    const before = process.threadCpuUsage();
    expandedPatternSize(pattern);
    const { user, system } = process.threadCpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(1000);
  },
);

test("a pattern that writes out to very many steps is not compiled", () => {
  const enormous = "[a-z]{0,1000}".repeat(200);
  expect(patternError(enormous)).toMatch(
    `it is too large: its size is 1000000; at most ${maxExpandedPatternSize} is accepted`,
  );
  expect(matches("a", enormous)).toBeInstanceOf(Failure);
  expect(matches("abc", "^[a-z]{0,1000}$")).toBe(true);
});
