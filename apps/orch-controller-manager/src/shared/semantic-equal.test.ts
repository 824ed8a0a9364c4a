import { expect, test } from "vitest";
import { semanticEqual } from "./semantic-equal.ts";

test.each([
  [1, 1, true],
  [1, "1", false],
  [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
  [{ a: 1 }, { a: 1, b: undefined }, true],
  [{ a: 1, c: [] }, { a: 1, b: {} }, true],
  [{ a: null }, {}, true],
  [{ a: 0 }, {}, false],
  [{ a: "" }, {}, false],
  [{}, { a: 0 }, false],
  [[1, 2], [2, 1], false],
  [[], {}, true],
  [[{ x: 1 }], { 0: { x: 1 } }, false],
  [{ 0: 1 }, [1], false],
])("%j and %j: %s", (a, b, want) => {
  expect(semanticEqual(a, b)).toBe(want);
});
