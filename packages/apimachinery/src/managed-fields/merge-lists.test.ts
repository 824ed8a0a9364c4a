import { expect, test } from "vitest";
import { mergeLists } from "./merge-lists.ts";

test.each([
  ["applied items come after live ones", "ab", "c", "abc"],
  ["shared items keep their places", "abc", "b", "abc"],
  ["applied order wins among shared items", "abc", "cb", "acb"],
  ["new items stay behind the one they follow", "abc", "axc", "abxc"],
  ["new items in front", "ab", "xa", "xab"],
  ["nothing live", "", "ab", "ab"],
  ["nothing applied", "ab", "", "ab"],
  ["items moved to the end", "abcd", "dba", "cdba"],
  ["the same several times", "aab", "b", "aab"],
])("%s", (_name, live, applied, want) => {
  const out = mergeLists([...live], [...applied], (element) => element);
  expect(out.join("")).toBe(want);
});

test("items of both lists come with both", () => {
  expect(mergeLists(["a", "b"], ["b", "c"], (element, i, j) => `${element}${i ?? "-"}${j ?? "-"}`)).toEqual([
    "a0-",
    "b10",
    "c-1",
  ]);
});

test("long lists in opposite order, behind as many new items, take no time to speak of", () => {
  const live = Array.from({ length: 150_000 }, (_, i) => `s${i}`);
  const applied = [...live.map((name) => `n${name}`), ...live.toReversed()];
  expect(mergeLists(live, applied, (element) => element)).toHaveLength(applied.length);
});
