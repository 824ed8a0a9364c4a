import { expect, test } from "vitest";
import { warningHeaders } from "./warning.ts";

const numbered = (count: number, length: number) => Array.from({ length: count }, (_, i) => `${i}`.padEnd(length, "x"));

test("each text is sent once, in characters that a header can have", () => {
  expect(warningHeaders(["a", 'say "\\"', "a", "line\nend", "é\u{1f600}"])).toEqual([
    '299 - "a"',
    '299 - "say \\"\\\\\\""',
    '299 - "line end"',
    '299 - "??"',
  ]);
});

test("long warnings are sent unchanged as long as there are few", () => {
  const texts = numbered(2, 2000);
  expect(warningHeaders(texts)).toEqual(texts.map((text) => `299 - "${text}"`));
});

test("warnings beyond the limit are cut, and those that still do not fit are left out", () => {
  const cut = warningHeaders(numbered(5, 1000));
  expect(cut.map((header) => header.length)).toEqual(Array(5).fill('299 - ""'.length + 256));
  const many = warningHeaders(numbered(70_000, 40));
  expect(many.length).toBe(Math.floor(4096 / 40));
  // Clients of Node take 16 KiB of headers, all of them together.
  expect(warningHeaders(numbered(70_000, 1)).join("").length).toBeLessThan(16_000);
  expect(warningHeaders(['"'.repeat(100_000)]).join("").length).toBeLessThan(1000);
});
