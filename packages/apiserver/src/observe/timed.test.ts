import { expect, test } from "vitest";
import { timed } from "./timed.ts";

/** A function of two numbers, and what is reported of its calls. */
function watched(call: (a: number, b: number) => number | Promise<number>) {
  const reports: unknown[] = [];
  const add = timed(call, {
    returned: (seconds, value) => reports.push(["returned", seconds >= 0, value]),
    threw: (seconds, error) => reports.push(["threw", seconds >= 0, String(error)]),
  });
  return { add, reports };
}

test("a synchronous value is returned and reported synchronously", () => {
  const { add, reports } = watched((a, b) => a + b);
  expect(add(1, 2)).toBe(3);
  expect(reports).toEqual([["returned", true, 3]]);
});

test("a promise is reported when it settles", async () => {
  const { add, reports } = watched(async (a, b) => a + b);
  const sum = add(1, 2);
  expect(reports).toEqual([]);
  expect(await sum).toBe(3);
  expect(reports).toEqual([["returned", true, 3]]);
});

test.each([
  [
    "thrown",
    () => {
      throw new Error("no");
    },
  ],
  ["rejected", () => Promise.reject(new Error("no"))],
])("an error that is %s is reported once and passed on", async (_, call) => {
  const { add, reports } = watched(call);
  await expect((async () => add(1, 2))()).rejects.toThrow("no");
  expect(reports).toEqual([["threw", true, "Error: no"]]);
});
