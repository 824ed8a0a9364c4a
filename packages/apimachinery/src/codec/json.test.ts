import { expect, test } from "vitest";
import { DecodeError } from "./decode-error.ts";
import { parseJson } from "./json.ts";

test.each([
  ['{"a":1}', []],
  ['{"a":1,"a":2}', ["a"]],
  ['{"spec":{"x":1,"y":2,"x":3,"x":4}}', ["spec.x"]],
  ['{"l":[{"a":1},{"b":1,"b":2}],"m":[],"n":{}}', ["l[1].b"]],
  ['{"a":{"a":1},"b":["a","a"],"c":"a:b{[,\\":"}', []],
  ['{"a\\u0062":1,"ab":2}', ["ab"]],
  ['{"__proto__":1,"__proto__":2}', ["__proto__"]],
  ['{"x":"\\\\","x":"\\\\\\""}', ["x"]],
])("duplicates in %s", (text, want) => {
  expect(parseJson(text, { duplicates: true }).duplicateFields).toEqual(want);
  expect(parseJson(Buffer.from(text)).value).toEqual(JSON.parse(text));
});

test("duplicates are only looked for if requested", () => {
  expect(parseJson('{"a":1,"a":2}')).toEqual({ value: { a: 2 }, duplicateFields: [] });
});

test.each([
  ["", "unexpected end of JSON input"],
  ["{", "unexpected end of JSON input"],
  ['{"a":1', "unexpected end of JSON input"],
  ["{bad}", "invalid character 'b' looking for beginning of object key string"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a":1 "b":2}', "invalid character '\"' after object key:value pair"],
  ["[1 2]", "invalid character '2' after array element"],
  ["[1,]", "invalid character ']' looking for beginning of value"],
  ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
  ["tru", "unexpected end of JSON input"],
  ["nul1", "invalid character '1' in literal null (expecting 'l')"],
  ["1.x", "invalid character 'x' after decimal point in numeric literal"],
  ["1ex", "invalid character 'x' in exponent of numeric literal"],
  ["-x", "invalid character 'x' in numeric literal"],
  ["01", "invalid character '1' after top-level value"],
  ["{} {}", "invalid character '{' after top-level value"],
  ['"\\x"', "invalid character 'x' in string escape code"],
  ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"],
  ['"a\nb"', "invalid character '\\n' in string literal"],
  ["\ufeff{}", "looking for beginning of value"],
])("%j is refused", (text, message) => {
  expect(() => parseJson(text)).toThrow(DecodeError);
  expect(() => parseJson(text)).toThrow(message);
});

test.each([
  ["[".repeat(5_000_000)],
  ["[".repeat(2000) + "]".repeat(2000)],
  [`${'{"a":'.repeat(2000)}1${"}".repeat(2000)}`],
])("deep document %# is refused", (text) => {
  expect(() => parseJson(text)).toThrow(DecodeError);
  expect(() => parseJson(text, { duplicates: true })).toThrow(DecodeError);
});

test("depth counts brackets outside strings only", () => {
  const text = JSON.stringify({ script: "[".repeat(5000), quote: '\\"[{' });
  expect(parseJson(text).value).toEqual(JSON.parse(text));
  expect(parseJson("[".repeat(1000) + "]".repeat(1000)).value).toBeDefined();
});

test("keys that look like prototypes are data", () => {
  const { value } = parseJson('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}');
  expect(Object.keys(value as object)).toEqual(["__proto__", "constructor"]);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

test("unpaired surrogates become the replacement character", () => {
  const { value } = parseJson('{"a\\ud800":["\\udc00","\\ud83d\\ude00"],"__proto__":"\\ud800"}');
  expect(JSON.stringify(value)).toBe('{"a\ufffd":["\ufffd","😀"],"__proto__":"\ufffd"}');
});

test("invalid UTF-8 becomes the replacement character", () => {
  expect(parseJson(Buffer.from([0x22, 0xff, 0x22])).value).toBe("\ufffd");
});
