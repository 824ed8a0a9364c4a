import { expect, test } from "vitest";
import { eventNote } from "./event-note.ts";

test.each([
  [1024, "x".repeat(1024)],
  [1025, `${"x".repeat(1020)} ...`],
])("a message of %i characters is written completely, or truncated as in Kubernetes", (length, want) => {
  expect(eventNote("x".repeat(length))).toBe(want);
});
