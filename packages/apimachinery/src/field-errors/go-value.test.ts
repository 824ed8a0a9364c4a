import { expect, test } from "vitest";
import { goQuote, goSlice, goStringMap, goStruct, goTime, literal, printValue } from "./go-value.ts";

test.each([
  ["plain", '"plain"'],
  ['a"b\\c', '"a\\"b\\\\c"'],
  ["tab\tnewline\nbell\x07nul\x00", '"tab\\tnewline\\nbell\\anul\\x00"'],
  ["ünïcode 漢字 😀", '"ünïcode 漢字 😀"'],
  ["zero\u200bwidth", '"zero\\u200bwidth"'],
  ["no-break\u00a0space", '"no-break\\u00a0space"'],
  ["lone \ud800 surrogate", '"lone \ufffd surrogate"'],
  ["tag \u{e0001}", '"tag \\U000e0001"'],
])("quotes %j", (text, want) => {
  expect(goQuote(text)).toBe(want);
});

test.each([
  ["x", '"x"'],
  [70000, "70000"],
  [-1, "-1"],
  [0.5, "0.5"],
  [true, "true"],
  [undefined, '"null"'],
  [null, '"null"'],
  [["Some", "b"], '[]string{"Some", "b"}'],
  [{ b: "2", a: "1" }, 'map[string]string{"a":"1", "b":"2"}'],
  [{ type: 1, nested: { a: true } }, '{"type":1,"nested":{"a":true}}'],
  [literal("0x0"), "0x0"],
  [goTime("2030-01-01T00:00:00Z"), "2030-01-01 00:00:00 +0000 UTC"],
  [goTime(undefined), '"null"'],
  [goSlice("core.PolicyType", ["a"]), '[]core.PolicyType{"a"}'],
  [goSlice("string", undefined), "[]string(nil)"],
  [goStringMap(undefined), "map[string]string(nil)"],
  [
    goStruct("intstr.IntOrString", { Type: 0, IntVal: 0, StrVal: "" }),
    'intstr.IntOrString{Type:0, IntVal:0, StrVal:""}',
  ],
])("prints %j", (value, want) => {
  expect(printValue(value)).toBe(want);
});
