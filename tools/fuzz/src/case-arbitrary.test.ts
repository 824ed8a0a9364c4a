import fc from "fast-check";
import { expect, test } from "vitest";
import { BLOCK_SIZE, blockSeed, caseNumber, casesOf, minimize } from "./case-arbitrary.ts";
import type { FuzzCase, PureTarget } from "./target.ts";

const target: PureTarget = {
  name: "digits",
  generate: (random) => ({ text: String(random.below(1_000_000)) }),
  check: () => undefined,
};

test("a case is reproduced from its number", () => {
  const seen: FuzzCase[] = [];
  for (const block of [0, 1]) {
    const property = fc.property(casesOf(target), (input) => void seen.push(input));
    fc.check(property, { seed: blockSeed(7, block), numRuns: BLOCK_SIZE });
  }
  expect(seen.map((_, i) => caseNumber(target, 7, i))).toEqual(seen);
  expect(new Set(seen.map(({ text }) => text)).size).toBeGreaterThan(BLOCK_SIZE);
});

test.each<[string, FuzzCase, (input: FuzzCase) => boolean, FuzzCase]>([
  ["texts", { text: "abcXdef" }, ({ text }) => String(text).includes("X"), { text: "X" }],
  [
    "members of JSON",
    { body: JSON.stringify({ a: { b: [1, 2, 3] }, c: "d" }) },
    ({ body }) => /^\{.*2.*\}$/.test(String(body)) && JSON.parse(String(body)).a !== undefined,
    { body: '{"a":{"b":[2]}}' },
  ],
  ["lists", { lines: ["a", "b", "c"] }, ({ lines }) => lines?.includes("b") === true, { lines: ["b"] }],
])("minimizing shortens %s", async (_, input, fails, want) => {
  const valid = (candidate: FuzzCase): boolean => {
    try {
      return fails(candidate);
    } catch {
      return false;
    }
  };
  const small = await minimize(input, async (candidate) => valid(candidate), 5000);
  expect(valid(small)).toBe(true);
  expect(JSON.stringify(small).length).toBeLessThanOrEqual(JSON.stringify(want).length);
});

test("documents that are too deep for JSON are minimized, too", async () => {
  const body = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
  const small = await minimize({ body }, async (candidate) => String(candidate.body).length > 1000, 5000);
  expect(String(small.body).length).toBeLessThan(body.length);
});

test("minimizing stops at its time limit", async () => {
  const input = { text: "x".repeat(100) };
  const slow = async (): Promise<boolean> => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    return true;
  };
  const started = performance.now();
  const small = await minimize(input, slow, 50);
  expect(performance.now() - started).toBeLessThan(3000);
  expect(String(small.text).length).toBeLessThanOrEqual(100);
});

test("a case that fails only once is not changed", async () => {
  expect(await minimize({ text: "abc" }, async () => false, 1000)).toEqual({ text: "abc" });
});
