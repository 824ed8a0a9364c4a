import { expect, test } from "vitest";
import { parseJsonPath } from "./json-path.ts";

const object = {
  spec: { replicas: 3, "a.b": { c: "dotted" }, list: [{ n: 1 }, { n: 2 }, { n: 3 }] },
  status: {
    conditions: [
      { type: "Ready", status: "True" },
      { type: "Odd", status: "False" },
    ],
  },
};

test.each([
  [".spec.replicas", [3]],
  ["{.spec.replicas}", [3]],
  [".spec.none.deeper", []],
  [".spec.replicas.deeper", []],
  [".constructor", []],
  [".spec.a\\.b.c", ["dotted"]],
  [".spec['a.b'].c", ["dotted"]],
  ['.spec["a.b"]["c"]', ["dotted"]],
  [".spec.list[0].n", [1]],
  [".spec.list[-1].n", [3]],
  [".spec.list[7].n", []],
  [".spec.list[1:].n", [2, 3]],
  [".spec.list[:2].n", [1, 2]],
  [".spec.list[0:3:2].n", [1, 3]],
  [".spec.list[0,2].n", [1, 3]],
  [".spec.list[*].n", [1, 2, 3]],
  [".spec.list.*.n", [1, 2, 3]],
  ["..n", [1, 2, 3]],
  [".spec.list[?(@.n > 1)].n", [2, 3]],
  [".spec.list[?(@.n!=2)].n", [1, 3]],
  ['.status.conditions[?(@.type=="Ready")].status', ["True"]],
  [".status.conditions[?(@.type=='Gone')].status", []],
  [".status.conditions[?(@.type)].status", ["True", "False"]],
])("%s finds %j", (path, want) => {
  const parsed = parseJsonPath(path);
  if ("error" in parsed) throw new Error(parsed.error);
  expect(parsed.find(object)).toEqual(want);
});

test.each([
  ["spec"],
  [".spec["],
  [".spec[']"],
  [".spec['a'"],
  [".spec[?(@.a==1]"],
  [".spec[?(@.a==)]"],
  [".spec[::0]"],
  [".a b"],
  [".a..."],
])("%s is no path", (path) => {
  expect(parseJsonPath(path)).toHaveProperty("error");
});

test("a path of many wildcards over a large object ends", () => {
  let wide: object = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`k${i}`, i]));
  for (let i = 0; i < 3; i++) wide = Object.fromEntries(Array.from({ length: 30 }, (_, j) => [`k${j}`, wide]));
  const parsed = parseJsonPath("..*..*..*");
  if ("error" in parsed) throw new Error(parsed.error);
  expect(parsed.find(wide).length).toBeLessThan(100_000);
});
