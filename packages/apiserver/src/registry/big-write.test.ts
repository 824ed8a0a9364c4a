import { expect, test } from "vitest";
import { checkExtent } from "./big-write.ts";

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

test("objects that a store accepts pass, and short requests are not examined", () => {
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
