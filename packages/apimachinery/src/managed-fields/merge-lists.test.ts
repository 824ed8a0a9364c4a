import { expect, test } from "vitest";
import { seededNumbers } from "../seeded-numbers.ts";
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

test("items of both lists are paired", () => {
  expect(mergeLists(["a", "b"], ["b", "c"], (element, i, j) => `${element}${i ?? "-"}${j ?? "-"}`)).toEqual([
    "a0-",
    "b10",
    "c-1",
  ]);
});

/** The list, and how often its items are read. */
function counted(items: readonly string[]): { readonly list: readonly string[]; readonly reads: () => number } {
  let reads = 0;
  const get = (target: readonly string[], key: string | symbol) => {
    if (typeof key === "string" && key !== "length") reads++;
    return Reflect.get(target, key) as unknown;
  };
  return { list: new Proxy(items, { get }), reads: () => reads };
}

test("no item is read often, however the lists are ordered", () => {
  const names = Array.from({ length: 2000 }, (_, i) => `s${i}`);
  const live = counted(names);
  const applied = counted([...names.map((name) => `n${name}`), ...names.toReversed()]);
  expect(mergeLists(live.list, applied.list, (element) => element)).toHaveLength(2 * names.length);
  expect(live.reads() / names.length).toBeLessThan(10);
  expect(applied.reads() / names.length).toBeLessThan(20);
});

/** The rule of the original, step by step: each list is searched again for each item. */
function naive(live: readonly string[], applied: readonly string[]): readonly string[] {
  const waiting = applied.filter((element) => live.includes(element));
  const out: string[] = [];
  for (let i = 0, j = 0; i < live.length || j < applied.length; ) {
    const [mine, theirs] = [live[i], applied[j]];
    if (mine !== undefined && theirs !== undefined && mine !== theirs && applied.includes(mine)) {
      // A shared item whose turn it is not: it comes where the applied list has it.
      if (waiting.length > 0 && waiting[0] !== mine) {
        i++;
        continue;
      }
    }
    if (mine !== undefined && !applied.includes(mine)) {
      out.push(mine);
      i++;
    } else if (theirs !== undefined) {
      out.push(theirs);
      j++;
      if (mine === theirs) i++;
      if (waiting[0] === theirs) waiting.shift();
    } else i++;
  }
  return out;
}

test("any two lists merge as with a search for each item", () => {
  const next = seededNumbers(3);
  const some = () => {
    const letters = [..."abcdefghij"];
    return Array.from({ length: next(9) }, () => letters.splice(next(letters.length), 1)[0] ?? "");
  };
  for (let round = 0; round < 20_000; round++) {
    const [live, applied] = [some(), some()];
    const found = mergeLists(live, applied, (element) => element).join("");
    if (found !== naive(live, applied).join("")) expect({ live, applied, found }).toBe(naive(live, applied).join(""));
  }
});
