import { expect, test } from "vitest";
import { decodeMessage, encodeMessage } from "../index.ts";
import * as s from "../schema/index.ts";
import { goJsonText, holdsRawJson } from "./raw-text.ts";

test.each([
  ["a && b > c < d", '"a \\u0026\\u0026 b \\u003e c \\u003c d"'],
  ["\u2028\u2029", '"\\u2028\\u2029"'],
  ["\b\f\n\t", '"\\u0008\\u000c\\n\\t"'],
  ["\\b \\\\f \\\\\b", '"\\\\b \\\\\\\\f \\\\\\\\\\u0008"'],
  ['"é"', '"\\"é\\""'],
])("%j is written as Go does, and says the same", (text, want) => {
  const written = goJsonText(JSON.stringify(text));
  expect(written).toBe(want);
  expect(JSON.parse(written)).toBe(text);
});

test("raw parts are written unchanged in protobuf", () => {
  const Kind = s.object("a", "Kind", () => ({ data: s.optional(1, s.raw) }));
  const bytes = encodeMessage(Kind, { data: { args: ["a && b"] } });
  expect(bytes.toString()).toContain('{"args":["a \\u0026\\u0026 b"]}');
  expect(decodeMessage(Kind, bytes)).toEqual({ data: { args: ["a && b"] } });
  expect(holdsRawJson(Kind)).toBe(true);
  expect(holdsRawJson(s.object("a", "Other", () => ({ name: s.optional(1, s.string) })))).toBe(false);
});
