import { expect, test } from "vitest";
import { checkExtent, inTurns } from "./big-write.ts";

const mib = 1024 * 1024;

test.each([
  ["a text", { data: { a: "x".repeat(9 * mib) } }],
  ["many empty objects", { items: Array.from({ length: 3 * mib }, () => ({})) }],
  ["many empty texts", { items: Array.from({ length: 3 * mib }, () => "") }],
  ["keys", { data: Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`${i}${"k".repeat(mib)}`, ""])) }],
])("%s of more than 4 MiB is too large to be stored", (_, object) => {
  expect(() => checkExtent(object, mib)).toThrow(
    "Request entity too large: the object has more than 4194304 characters",
  );
});

test("what stores take passes, and short requests are not looked at", () => {
  checkExtent({ data: { a: "x".repeat(2 * mib) }, items: Array.from({ length: 100_000 }, () => ({ name: "a" })) }, mib);
  let looked = false;
  checkExtent(
    {
      get a() {
        looked = true;
        return "";
      },
    },
    1000,
  );
  expect(looked).toBe(false);
});

test.each([
  ["big", true, 3],
  ["small", false, 0],
])("steps of a %s write are in turns of their own", async (_, big, least) => {
  let turns = 0;
  let over = false;
  const count = (): void => {
    turns++;
    if (!over) setImmediate(count);
  };
  setImmediate(count);
  const seen: number[] = [];
  function* steps(): Generator<undefined, string> {
    for (let i = 0; i < 4; i++) {
      seen.push(turns);
      yield;
    }
    return "done";
  }
  expect(await inTurns(steps(), big)).toBe("done");
  over = true;
  expect((seen.at(-1) ?? 0) - (seen[0] ?? 0)).toBeGreaterThanOrEqual(least);
  expect(new Set(seen).size).toBe(big ? 4 : 1);
});
