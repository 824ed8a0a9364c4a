import { RE2JS } from "re2js";
import { expect, test } from "vitest";
import { compilePattern } from "./re2.ts";

/** A pattern as definitions have it for names. */
const label = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";

test.each([
  [label, "a-b", true],
  [label, "a-", false],
  ["b+", "abc", true],
  ["^b", "abc", false],
  ["(?i)É", "xé", true],
])("%s in %j: %s", (pattern, text, want) => {
  expect(compilePattern(pattern)(text)).toBe(want);
});

test("a text of megabytes does not stop the server", () => {
  const matches = compilePattern(label);
  const startMs = performance.now();
  expect(matches("ab".repeat(1_500_000))).toBe(true);
  // A search takes 1,200 ms and more.
  expect(performance.now() - startMs).toBeLessThan(600);
});

test("a text matches where a search finds something", () => {
  const atoms = ["a", "é", "😀", ".", "\\d", "\\b", "^", "$", "[^a]", "(?i)K", "(?m:^b)", "(?s:.)", "(?:ab|a)"];
  const parts = atoms.flatMap((atom) => ["", "*", "+?", "{0,2}"].map((times) => atom + times));
  const texts = ["", "a", "ab", "ba", "\n", "a\nb", "é", "😀a", "\ud800", "1k", "\u212a", "bb b"];
  for (const pattern of parts.flatMap((first) => parts.map((second) => first + second))) {
    const matches = compilePattern(pattern);
    const search = RE2JS.compile(pattern);
    const wrong = texts.find((text) => matches(text) !== search.matcher(text).find());
    expect(wrong, pattern).toBeUndefined();
  }
});
