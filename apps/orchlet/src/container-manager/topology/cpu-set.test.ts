import { expect, test } from "vitest";
import { CpuSet } from "./cpu-set.ts";

test.each([
  ["", [], ""],
  ["3", [3], "3"],
  ["0-3,7", [0, 1, 2, 3, 7], "0-3,7"],
  ["5,1,2,2-3", [1, 2, 3, 5], "1-3,5"],
])("the list %j has the CPUs %j", (text, numbers, written) => {
  const set = CpuSet.parse(text);
  expect(set.numbers).toEqual(numbers);
  expect(String(set)).toBe(written);
});

test.each(["a", "1-", "3-1", "-1", "0-99999999", "1;2"])("%j is no list of CPUs", (text) => {
  expect(() => CpuSet.parse(text)).toThrow("want one such as 0-3,7");
});

test("sets are united, subtracted and compared", () => {
  const [a, b] = [CpuSet.parse("0-3"), CpuSet.parse("2-5")];
  expect(String(a.union(b))).toBe("0-5");
  expect(String(a.difference(b))).toBe("0-1");
  expect(String(a.intersection(b))).toBe("2-3");
  expect([CpuSet.parse("2,3").isSubsetOf(a), b.isSubsetOf(a), a.equals(CpuSet.of([3, 2, 1, 0]))]).toEqual([
    true,
    false,
    true,
  ]);
});
