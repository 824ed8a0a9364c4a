import { expect, test } from "vitest";
import { string } from "../schema/index.ts";
import { maxElements } from "./field-set.ts";
import { leafWalker } from "./leaf-walker.ts";
import { setWalker } from "./set-walker.ts";

/** A list of distinct texts that counts how many of them are looked at. */
function counted(length: number): { readonly list: readonly string[]; readonly looked: () => number } {
  let looked = 0;
  const list = new Proxy(
    Array.from({ length }, (_, i) => `a${i}`),
    {
      get: (target, key, receiver) => {
        if (typeof key === "string" && /^\d+$/.test(key)) looked++;
        return Reflect.get(target, key, receiver) as unknown;
      },
    },
  );
  return { list, looked: () => looked };
}

test("a set with too many values is rejected before all of them are read", () => {
  const { list, looked } = counted(5 * maxElements);
  const walker = setWalker(leafWalker(string));
  expect(() => walker.whole(list)).toThrow("Request entity too large");
  expect(looked()).toBeLessThanOrEqual(maxElements + 1);
});

test("repeated values are owned once", () => {
  const list = [...Array.from({ length: 10 * maxElements }, () => "a"), "b", "a"];
  expect(setWalker(leafWalker(string)).whole(list)).toEqual({ ".": {}, 'v:"a"': {}, 'v:"b"': {} });
});
