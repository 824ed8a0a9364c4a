import { expect, test } from "vitest";
import { DecodeError } from "./decode-error.ts";
import { parseYaml } from "./yaml.ts";

test.each([
  ["a: 1\nb: [x, z]\n", { a: 1, b: ["x", "z"] }],
  ["---\na: 1\n", { a: 1 }],
  ['{"json": [true, null]}', { json: [true, null] }],
  ["a: yes\nb: on\nc: 'yes'\nd: off", { a: true, b: true, c: "yes", d: false }],
  ["mode: 0644", { mode: 420 }],
  [
    "port: 22:22\ntime: 2020-01-02T03:04:05Z\nday: 2020-01-02",
    { port: "22:22", time: "2020-01-02T03:04:05Z", day: "2020-01-02" },
  ],
  ["text: |\n  a\n  b\n", { text: "a\nb\n" }],
  ["base: &b {x: 1}\nother:\n  <<: *b\n  z: 2", { base: { x: 1 }, other: { x: 1, z: 2 } }],
  ["1: one\ntrue: two", { 1: "one", true: "two" }],
  ["%YAML 1.1\n---\na: yes", { a: true }],
  ["a: !!binary YQ==\nb: !!binary |\n  YW\n  I=\n", { a: "a", b: "ab" }],
  ["", null],
])("%j", (text, want) => {
  expect(parseYaml(text).value).toEqual(want);
});

test("duplicate keys are found by path", () => {
  const { value, duplicateFields } = parseYaml("a:\n  b: 1\n  b: 2\nl:\n- c: 1\n  c: 2\n", { duplicates: true });
  expect(duplicateFields).toEqual(["a.b", "l[0].c"]);
  expect(value).toEqual({ a: { b: 2 }, l: [{ c: 2 }] });
});

test.each([
  ["a: 1\n---\nb: 2\n", "more than one document"],
  ["a: [1", "yaml: line"],
  ["a: b: c", "yaml: line 1"],
  ["\t- x", "yaml:"],
  ["a: *unknown", "yaml:"],
  ["%YAML 1.2\n---\na: !!binary YQ==", "incompatible YAML document: it has directive %YAML 1.2"],
  ["%YAML 1.3\n---\na: 1", "line 1: Unsupported YAML version 1.3"],
  ["%OTHER x\n---\na: 1", "line 1: Unknown directive %OTHER"],
  ["a: !!binary '*'", "line 1: !!binary value contains invalid base64"],
  ["[".repeat(100_000), "max depth"],
  [`${"[".repeat(3000)}${"]".repeat(3000)}`, "max depth"],
  [`${"- ".repeat(3000)}x`, "max depth"],
  ["x".repeat(3 * 1024 * 1024 + 1), "characters"],
  [
    `a: &a [x,x,x,x,x,x,x,x,x]\n${[..."bcdefgh"].map((name, i) => `${name}: &${name} [${Array(9).fill(`*${"abcdefgh"[i]}`).join(",")}]`).join("\n")}`,
    "alias",
  ],
  [`${"? ".repeat(60)}x`, "line 1: a mapping or list is used as a key"],
  ["? {a: 1}\n: b", "used as a key"],
  ["a: &a [x]\n*a : b", "line 2: a mapping or list is used as a key"],
  ["&a [*a]", "contains itself"],
  ["&a {b: &b [*a, *b]}", "contains itself"],
  [`a: &a ${"x".repeat(100_000)}\nb: [${Array(50).fill("*a").join(",")}]`, "with its aliases written out"],
  [
    `${Array.from({ length: 4000 }, (_, i) => `k${i}: &a${i} x\nl${i}: *a${i}`).join("\n")}`,
    "4000 aliases of 4000 anchors",
  ],
  ['a: "\\ud800"', "yaml: line 1: found invalid Unicode character escape code"],
  ['a: 1\n"\\udfff\\ud800": 2', "yaml: line 2: found invalid Unicode character escape code"],
])("hostile document %# is refused", (text, message) => {
  expect(() => parseYaml(text)).toThrow(DecodeError);
  expect(() => parseYaml(text)).toThrow(message);
});

test("keys that look like prototypes are data", () => {
  const { value } = parseYaml("__proto__: {polluted: true}\nconstructor: x");
  expect(Object.keys(value as object)).toEqual(["__proto__", "constructor"]);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});
