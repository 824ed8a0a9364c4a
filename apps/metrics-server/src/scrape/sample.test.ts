import { expect, test } from "vitest";
import { parseSample } from "./sample.ts";

test.each([
  ["a 1", { name: "a", labels: {}, value: 1, timestampMs: undefined }],
  ["a_b:c{} 1.5e3 1000", { name: "a_b:c", labels: {}, value: 1500, timestampMs: 1000 }],
  ['a{x="1",y="a b"} 2', { name: "a", labels: { x: "1", y: "a b" }, value: 2, timestampMs: undefined }],
  ['a{x="}",} 2 -5', { name: "a", labels: { x: "}" }, value: 2, timestampMs: -5 }],
  [String.raw`a{x="q\"b\\n\nz"} +3`, { name: "a", labels: { x: 'q"b\\n\nz' }, value: 3, timestampMs: undefined }],
  ["a -Inf", { name: "a", labels: {}, value: Number.NEGATIVE_INFINITY, timestampMs: undefined }],
  ["a NaN", { name: "a", labels: {}, value: Number.NaN, timestampMs: undefined }],
])("%s", (text, want) => {
  expect(parseSample(text)).toEqual(want);
});

test.each([
  "",
  "a",
  "a b",
  "a 1 2 3",
  "a 1 1.5",
  "a 0x10",
  "a 1_0",
  "1a 1",
  "a{x=1} 1",
  'a{x="1" 1',
  'a{x="1"y="2"} 1',
  'a{x="1"}1',
  `a{${"}".repeat(8000)}`,
  `a{${'x="'.repeat(4000)} 1`,
])("%j is no sample", (text) => {
  expect(() => parseSample(text)).toThrow(/^found the line .*; want a sample$/s);
});

test("labels named like members of Object are labels", () => {
  expect(Object.keys(parseSample('a{__proto__="1",constructor="2"} 1').labels)).toEqual(["__proto__", "constructor"]);
});
