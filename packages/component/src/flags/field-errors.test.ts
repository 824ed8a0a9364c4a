import { expect, test } from "vitest";
import { errorsByFlag } from "./field-errors.ts";

const flagOf = new Map([
  ["a.b", "flag-b"],
  ["list", "flag-list"],
]);

test.each([
  ["f, field a.b: invalid value 1; want 2", "--flag-b: field a.b: invalid value 1; want 2"],
  ["f, field a.b.c: missing; want d", "--flag-b: field a.b.c: missing; want d"],
  ["f, field list[0].x: unknown field", "--flag-list: field list[0].x: unknown field"],
  ["f, field a.x: missing; want less than list", "f, field a.x: missing; want less than list (--flag-list)"],
  ["f, field a.x: unknown field", "f, field a.x: unknown field"],
  ["g, field a.b: unknown field", "g, field a.b: unknown field"],
  ["f: cannot be read; want more", "f: cannot be read; want more"],
])("%s", (error, told) => {
  expect(errorsByFlag([error], "f", flagOf)).toEqual([told]);
});
