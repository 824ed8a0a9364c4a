import { describe, expect, test } from "vitest";
import { decodeProtobuf, encodeProtobuf } from "../index.ts";
import { json, message, object, pointer, quantity, raw } from "../schema/index.ts";
import { decoderFor } from "./decoder.ts";
import { mayHoldLongInteger, normalizeIntegers, parseJsonText } from "./exact-integers.ts";
import { parseJson } from "./json.ts";
import { parseYaml } from "./yaml.ts";

const exact = [
  "9007199254740992",
  "9007199254740993",
  "-9007199254740993",
  "3546343826724305832",
  "9223372036854775807",
  "-9223372036854775808",
];

describe.each(exact)("%s", (text) => {
  const document = `{"a":[${text},1],"b":{"__proto__":${text}},"c":"${text}","d":"\\"${text}"}`;

  test("is exact in JSON", () => {
    expect(JSON.stringify(parseJson(document).value)).toBe(document);
    expect(JSON.stringify(parseJson(Buffer.from(text)).value)).toBe(text);
    expect(JSON.stringify(parseJsonText(document))).toBe(document);
  });

  test("is exact in YAML", () => {
    expect(JSON.stringify(parseYaml(document).value)).toBe(document);
    expect(JSON.stringify(parseYaml(`x: &x {a: ${text}}\nw: *x\nz: 7`).value)).toBe(
      `{"x":{"a":${text}},"w":{"a":${text}},"z":7}`,
    );
  });
});

test.each([
  ["0x20000000000001", "9007199254740993"],
  ["-0x20000000000001", "-9007199254740993"],
  ["0x7fff_ffff_ffff_ffff", "9223372036854775807"],
  ["0777777777777777777777", "9223372036854775807"],
  ["9_007_199_254_740_993", "9007199254740993"],
  ["0b100000000000000000000000000000000000000000000000000001", "9007199254740993"],
])("%s is exact in YAML", (text, want) => {
  expect(JSON.stringify(parseYaml(`a: ${text}`).value)).toBe(`{"a":${want}}`);
});

test.each([
  ["9007199254740991", "9007199254740991"],
  ["9223372036854775808", "9223372036854776000"],
  ["-9223372036854775809", "-9223372036854776000"],
  ["1.00000000000000001", "1"],
  ["12345678901234567.25", "12345678901234568"],
  ["1e16", "10000000000000000"],
  ["9007199254740993e1", "90071992547409940"],
  ["1E-1234567890123456", "0"],
])("%s is a double", (text, want) => {
  expect(JSON.stringify(parseJson(text).value)).toBe(want);
});

test.each([
  ["", false],
  ["123456789012345", false],
  ["1234567890123456", true],
  [`${"x".repeat(31)}1234567890123456`, true],
  [`${"x".repeat(17)}1234567890123456x`, true],
  ["123456789012345 6 ".repeat(20), false],
])("a run of digits in %j: %s", (text, want) => {
  expect(mayHoldLongInteger(text)).toBe(want);
});

test("survives values that are kept unparsed, and their wire form", () => {
  const Kept = object("test/v1", "Kept", () => ({ raw: pointer(1, raw), json: pointer(2, json) }));
  const text = '{"kind":"Kept","apiVersion":"v1","raw":{"n":3546343826724305832},"json":[3546343826724305832]}';
  const decoded = decoderFor(Kept).decode(parseJson(text).value);
  expect(JSON.stringify(decoded)).toBe(text);
  expect(JSON.stringify(decodeProtobuf(Kept, encodeProtobuf(Kept, decoded)))).toBe(text);
});

test("a number that is used as a quantity is exact", () => {
  const Sized = message("test/v1", "Sized", () => ({ size: pointer(1, quantity) }));
  expect(decoderFor(Sized).decode(parseJson('{"size":9007199254740993}').value)).toEqual({ size: "9007199254740993" });
});

test("a value that is referred to from many places is checked once", () => {
  let looked = 0;
  const leaf = {
    get a() {
      looked++;
      return 1n;
    },
    set a(_: bigint) {},
  };
  let root: unknown = leaf;
  for (let i = 0; i < 10; i++) root = [root, root];
  normalizeIntegers(root);
  expect(looked).toBe(1);
});
