import { describe, expect, test } from "vitest";
import { planExact, planNew, type Step } from "./etcd-plan.ts";
import { compareSources, type Entry, inOrder, type Source } from "./source.ts";

const entry = (key: string, createRevision: number, modRevision: number): Entry => ({
  key,
  createRevision,
  modRevision,
});
const shown = (steps: readonly Step[]) =>
  steps.map(({ revision, created, written }) => [
    revision,
    created.map(({ key }) => key),
    written.map(({ key }) => key),
  ]);

test.each([
  { name: "nothing", entries: [], steps: [] },
  { name: "a key that was never changed", entries: [entry("a", 5, 5)], steps: [[5, [], ["a"]]] },
  {
    name: "a key that was changed",
    entries: [entry("a", 5, 9)],
    steps: [
      [5, ["a"], []],
      [9, [], ["a"]],
    ],
  },
  {
    name: "keys of one commit, and one that was created at the revision of another's change",
    entries: [entry("a", 3, 5), entry("b", 5, 5), entry("c", 5, 8)],
    steps: [
      [3, ["a"], []],
      [5, ["c"], ["a", "b"]],
      [8, [], ["c"]],
    ],
  },
])("exact revisions: $name", ({ entries, steps }) => {
  expect(shown(planExact({ entries }))).toEqual(steps);
});

test("new revisions follow each other in the order of changes", () => {
  const entries = inOrder([entry("b", 2, 40), entry("a", 3, 40), entry("c", 9, 9)]);
  expect(shown(planNew({ entries }, 100))).toEqual([
    [101, [], ["c"]],
    [102, [], ["a"]],
    [103, [], ["b"]],
  ]);
});

describe("comparison", () => {
  const source = (entries: readonly Entry[], values: Readonly<Record<string, string>> = {}): Source => ({
    name: "a test's",
    revision: 10,
    entries,
    value: async ({ key }) => Buffer.from(values[key] ?? ""),
    unchanged: async () => {},
    close: async () => {},
  });
  const a = entry("a", 1, 2);

  test.each([
    { name: "the same", expected: source([a]), actual: source([a]), revisions: true, found: [] },
    { name: "a key is missing", expected: source([a]), actual: source([]), revisions: true, found: ['"a" is missing'] },
    {
      name: "one has expired",
      expected: source([{ ...a, ttlSeconds: 1 }]),
      actual: source([]),
      revisions: true,
      found: [],
    },
    {
      name: "there is another",
      expected: source([]),
      actual: source([a]),
      revisions: true,
      found: ['"a" is not in the source'],
    },
    {
      name: "another value",
      expected: source([a], { a: "1" }),
      actual: source([a], { a: "2" }),
      revisions: true,
      found: ['"a" has another value'],
    },
    {
      name: "another revision",
      expected: source([a]),
      actual: source([entry("a", 1, 3)]),
      revisions: true,
      found: ['"a" was created at 1 and changed at 3, not at 1 and 2'],
    },
    {
      name: "another revision, which is allowed",
      expected: source([a]),
      actual: source([entry("a", 8, 9)]),
      revisions: false,
      found: [],
    },
  ])("$name", async ({ expected, actual, revisions, found }) => {
    expect(await compareSources(expected, actual, { revisions })).toEqual(found);
  });

  test("of many differences, the first are listed", async () => {
    const many = Array.from({ length: 50 }, (_, i) => entry(`k${i}`, 1, 1));
    const differences = await compareSources(source(many), source([]), { revisions: true });
    expect([differences.length, differences.at(-1)]).toEqual([11, "and possibly more"]);
  });
});
