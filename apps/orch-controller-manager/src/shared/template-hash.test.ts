import { expect, test } from "vitest";
import { templateHash } from "./template-hash.ts";

const template = { spec: { containers: [{ name: "c", image: "i" }], nodeSelector: { a: "b" } } };

test.each<readonly [string, unknown, unknown]>([
  ["the order of members", { a: 1, b: 2 }, { b: 2, a: 1 }],
  ["the order of members within", { x: { a: 1, b: [{ c: 1, d: 2 }] } }, { x: { b: [{ d: 2, c: 1 }], a: 1 } }],
  ["absent members", { a: 1 }, { a: 1, b: undefined }],
  ["null", { a: 1 }, { a: 1, b: null }],
  ["empty lists", { a: 1 }, { a: 1, b: [] }],
  ["empty objects", { a: 1 }, { a: 1, b: {} }],
  ["objects with nothing in them", { a: 1 }, { a: 1, b: { c: { d: [], e: null } } }],
  ["nothing at all", {}, []],
])("%s: the same hash", (_, a, b) => {
  expect(templateHash(a)).toBe(templateHash(b));
  expect(templateHash(a, 3)).toBe(templateHash(b, 3));
});

test.each<readonly [string, unknown, unknown]>([
  ["the order of items", [1, 2], [2, 1]],
  ["a number and a text", { a: 1 }, { a: "1" }],
  ["a boolean and a text", { a: true }, { a: "true" }],
  ["false and nothing", { a: false }, {}],
  ["zero and nothing", { a: 0 }, {}],
  ["another name", { a: 1 }, { b: 1 }],
  ["one item and the value", { a: [1] }, { a: 1 }],
  ["items and a text with a comma", ["a", "b"], ["a,b"]],
  ["items in lists", [[1], [2]], [[1, 2]]],
  ["members and a text that looks like them", { a: { b: 1 } }, { a: '{"b":1}' }],
  ["where a member is", { a: { b: 1 }, c: 2 }, { a: { b: 1, c: 2 } }],
  ["the high byte of a letter", "\u0141", "A"],
  ["letters of two units", "\u{1f600}", "\u{1f601}"],
  ["quotes", { a: 'x","b":"y' }, { a: "x", b: "y" }],
])("%s: another hash", (_, a, b) => {
  expect(templateHash(a)).not.toBe(templateHash(b));
});

test("each number of collisions makes another hash; 0 is as none", () => {
  const hashes = [0, 1, 2, 3, 10, 11, 100].map((count) => templateHash(template, count));
  expect(new Set(hashes).size).toBe(hashes.length);
  expect(hashes[0]).toBe(templateHash(template));
});

test("hashes are short, valid in names, and differ", () => {
  const hashes = Array.from({ length: 2000 }, (_, i) => templateHash({ ...template, i }));
  for (const hash of hashes) expect(hash).toMatch(/^[bcdf-hj-np-tv-z24-9]{1,10}$/);
  expect(new Set(hashes).size).toBe(2000);
});
