import { expect, test } from "vitest";
import { nextGeneration, timestampWriter } from "./server-fields.ts";

test("times have whole seconds, whatever was formatted before", () => {
  const timestamp = timestampWriter();
  const texts = [0, 999, 1000, 1999, 0, -1, Date.UTC(10_000, 0)].map((ms) => timestamp(new Date(ms)));
  expect(texts).toEqual([
    "1970-01-01T00:00:00Z",
    "1970-01-01T00:00:00Z",
    "1970-01-01T00:00:01Z",
    "1970-01-01T00:00:01Z",
    "1970-01-01T00:00:00Z",
    "1969-12-31T23:59:59Z",
    "+010000-01-01T00:00:00Z",
  ]);
});

test.each([
  ["none yet", undefined, 1],
  ["one more", 4, 5],
  ["the greatest there is stays", Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
])("%s", (_name, generation, want) => {
  expect(nextGeneration(generation)).toBe(want);
});
