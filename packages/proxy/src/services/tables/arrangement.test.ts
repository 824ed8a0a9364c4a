import { seededNumbers } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { arrange } from "./arrangement.ts";

test.each([
  ["nothing", [], [], []],
  ["the first ones", [], ["a", "b"], ["a", "b"]],
  ["a new one takes the place of a gone one", ["a", "b", "c"], ["c", "a", "d"], ["a", "d", "c"]],
  ["the last one fills a gap", ["a", "b", "c", "d"], ["a", "c", "d"], ["a", "d", "c"]],
  ["gone ones at the end", ["a", "b", "c"], ["a"], ["a"]],
])("without gaps: %s", (_title, before, wanted, after) => {
  expect(arrange(before, wanted, "filled")).toEqual(after);
});

test("with gaps, nothing changes its place", () => {
  expect(arrange(["a", "b", "c", "d"], ["b", "d"], "allowed")).toEqual([undefined, "b", undefined, "d"]);
  expect(arrange([undefined, "b", undefined, "d"], ["b", "e"], "allowed")).toEqual(["e", "b"]);
});

test("random changes move no more items than they must", () => {
  const next = seededNumbers(11);
  let before: readonly (string | undefined)[] = [];
  for (let round = 0; round < 500; round++) {
    const wanted = ["a", "b", "c", "d", "e", "f", "g", "h"].filter(() => next(3) > 0);
    const after = arrange(before, wanted, "filled");
    expect([...after].sort()).toEqual(wanted);
    const moved = after.filter((item, place) => before.includes(item) && before[place] !== item).length;
    expect(moved).toBeLessThanOrEqual(Math.max(0, before.length - after.length));
    before = after;
  }
});
