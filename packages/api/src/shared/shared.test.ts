import { FieldPath } from "@orchernetes/apimachinery";
import { expect, test } from "vitest";
import { texts } from "../../test/support.ts";
import { formatLabels, since } from "./columns.ts";
import { differences } from "./differences.ts";
import { semanticEqual } from "./immutable.ts";
import { inRange, nonNegative, positive } from "./numbers.ts";
import { localDescendingPath, localNonReservedPath } from "./paths.ts";
import { validateResourceList } from "./resource-lists.ts";

test.each([
  [{ a: [] }, {}, true],
  [{ a: {} }, { a: undefined }, true],
  [null, undefined, true],
  [{ a: false }, {}, false],
  [{ a: "" }, {}, false],
  [{ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, true],
  [{ a: [1] }, { a: [1, 2] }, false],
  [{ a: 1 }, { a: 1, b: 2 }, false],
  [{ constructor: 1 }, {}, false],
])("%j and %j are the same to the API: %s", (a, b, want) => {
  expect([semanticEqual(a, b), semanticEqual(b, a)]).toEqual([want, want]);
});

test("differences report the path and both values", () => {
  expect(differences({ a: { b: [1, 2] }, c: 1 }, { a: { b: [1, 3] }, d: "x" })).toBe(
    ["-a.b[1]: 2", "+a.b[1]: 3", "-c: 1", '+d: "x"'].join("\n"),
  );
});

test.each([
  ["a/b", [], []],
  ["/a", ['p: Invalid value: "/a": must be a relative path'], ['p: Invalid value: "/a": must be a relative path']],
  [
    "a/../b",
    ["p: Invalid value: \"a/../b\": must not contain '..'"],
    ["p: Invalid value: \"a/../b\": must not contain '..'"],
  ],
  ["..a", [], ["p: Invalid value: \"..a\": must not start with '..'"]],
])("path %s", (path, descending, nonReserved) => {
  expect(texts(localDescendingPath(path, "p"))).toEqual(descending);
  expect(texts(localNonReservedPath(path, "p"))).toEqual(nonReserved);
});

test("numbers", () => {
  expect(
    texts([...nonNegative(undefined, "a"), ...nonNegative(-1, "a"), ...positive(0, "b"), ...inRange(4, 1, 3, "c")]),
  ).toEqual([
    "a: Invalid value: -1: must be greater than or equal to 0",
    "b: Invalid value: 0: must be greater than 0",
    "c: Invalid value: 4: must be between 1 and 3, inclusive",
  ]);
});

test.each([
  [{ cpu: "1", "a.b/c": "2" }, []],
  [{ cpu: "-1" }, ['r[cpu]: Invalid value: "-1": must be greater than or equal to 0']],
  [{ pods: "500m" }, ['r[pods]: Invalid value: "500m": must be an integer']],
  [{ odd: "1" }, ['r[odd]: Invalid value: "odd": must be a standard resource type or fully qualified']],
])("resource list %j", (list, want) => {
  expect(texts(validateResourceList(list, new FieldPath("r")))).toEqual(want);
});

test("cells", () => {
  const now = new Date("2026-01-01T00:00:00Z");
  expect([
    formatLabels({ b: "2", a: "1" }),
    formatLabels({}),
    since("2025-12-31T23:00:00Z", now),
    since(null, now),
  ]).toEqual(["a=1,b=2", "<none>", "60m", "<unknown>"]);
});

test("testing whether a map is empty reads only one entry", () => {
  const map = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`a${i}`, "1"]));
  let looked = 0;
  const counting = new Proxy(map, {
    get: (target, key, receiver) => {
      looked++;
      return Reflect.get(target, key, receiver) as unknown;
    },
  });
  expect(semanticEqual(counting, undefined)).toBe(false);
  // `semanticEqual` tests twice whether the map is empty, once for each side.
  expect(looked).toBeLessThanOrEqual(2);
});
