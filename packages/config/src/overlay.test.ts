import { expect, test } from "vitest";
import { z } from "zod";
import { issueLines, pathText } from "./issue-lines.ts";
import { overlay } from "./overlay.ts";
import { quoteValue } from "./quote-value.ts";
import { duration, int32, int64, ipAddress, port, quantity } from "./values.ts";

test.each<[unknown, [string, unknown][], unknown]>([
  [{ a: 1 }, [], { a: 1 }],
  [{ a: 1 }, [["a", 2]], { a: 2 }],
  [{ a: { b: 1, c: 2 } }, [["a.b", 3]], { a: { b: 3, c: 2 } }],
  // A mapping is replaced as a whole, not merged.
  [{ a: { b: 1 } }, [["a", { c: 2 }]], { a: { c: 2 } }],
  // What is missing on the path, or is no mapping, becomes one.
  [{}, [["a.b.c", 1]], { a: { b: { c: 1 } } }],
  [{ a: [1, 2] }, [["a.b", 3]], { a: { b: 3 } }],
  [{ a: "text" }, [["a.b", 3]], { a: { b: 3 } }],
  [null, [["a", 1]], { a: 1 }],
  [
    {},
    [
      ["a.b", 1],
      ["a.c", 2],
      ["a.b", 3],
    ],
    { a: { b: 3, c: 2 } },
  ],
])("flags over %j by %j give %j", (document, settings, want) => {
  const before = structuredClone(document);
  expect(overlay(document, new Map(settings))).toEqual(want);
  expect(document).toEqual(before);
});

test.each<[readonly (string | number)[], string]>([
  [[], ""],
  [["a"], "a"],
  [["a", 0, "b"], "a[0].b"],
  [["a", "12", 3], "a[12][3]"],
])("the path %j is written %j", (path, text) => {
  expect(pathText(path)).toBe(text);
});

test("the lines of errors quote no values, and no names that may be secrets", () => {
  const schema = z.strictObject({ keys: z.array(z.strictObject({ name: z.string() })) });
  const found = schema.safeParse({ keys: [{ name: 1, "secret:c2VjcmV0": 2, nmae: 3 }], [`k${"x".repeat(20)}`]: 4 });
  const lines = issueLines(found.error ?? new z.ZodError([]));
  expect([...lines].sort().map((line) => line.replace(/: .*/, ""))).toEqual([
    "(name not shown)",
    "keys[0].(name not shown)",
    "keys[0].name",
    "keys[0].nmae",
  ]);
  expect(lines.join()).not.toMatch(/c2VjcmV0|xxx/);
});

test.each<[unknown, string]>([
  ["a", '"a"'],
  [undefined, "undefined"],
  [[1, null], "[1,null]"],
  ["x".repeat(78), `"${"x".repeat(78)}"`],
  ["x".repeat(79), `"${"x".repeat(76)}...`],
])("the value %j is quoted as %j", (value, text) => {
  expect(quoteValue(value)).toBe(text);
});

test.each<[string, z.ZodType, readonly unknown[], readonly unknown[]]>([
  ["a port", port(1), [1, 65_535], [0, 65_536, -1, 1.5, "80", Number.NaN]],
  ["a port or 0", port(0), [0, 65_535], [-1, 65_536]],
  ["a 32-bit integer", int32(), [-2_147_483_648, 2_147_483_647], [2_147_483_648, -2_147_483_649, 0.1]],
  ["a 64-bit integer", int64(0), [0, Number.MAX_SAFE_INTEGER], [-1, 2 ** 53, 0.5, "1"]],
  ["an address", ipAddress(), ["10.0.0.1", "::", "fd00::1"], ["", "10.0.0", "10.0.0.1/8", "256.1.1.1", "host"]],
  [
    "a quantity",
    quantity(),
    ["0", "500m", "1.5Gi", "2e3", "2E-3", ".5", "5.", "-1", "+1k", "1n", "1u"],
    ["", "Gi", "1gi", "1K", "1.2.3", "1e", "1Mi ", "1e3Mi", "0x1", "."],
  ],
  ["a duration with limits", duration({ minMs: 1000, maxMs: 2000 }), ["1s", "2s"], ["999ms", "2.001s", "1", 1000, ""]],
])("%s is told from other values", (_name, schema, good, bad) => {
  expect(good.filter((value) => !schema.safeParse(value).success)).toEqual([]);
  expect(bad.filter((value) => schema.safeParse(value).success)).toEqual([]);
});
