import { expect, test } from "vitest";
import { countGroups } from "./counts.ts";
import { renderCounts, replaceCounts } from "./document.ts";
import type { Run } from "./runs.ts";

const differences: Readonly<Record<string, readonly string[]>> = { passes: [], fails: ["steps[0].status"] };
const run = (store: Run["store"], outcomes: Readonly<Record<string, string>>): Run => ({
  store,
  against: "API server",
  report: {
    scenarios: Object.entries(outcomes).map(([name, outcome]) => ({
      name,
      passed: outcome === "passes",
      diffs: (differences[outcome] ?? [outcome]).map((path) => ({ path })),
    })),
  },
});
const names = ["crud-pod", "crud-node", "watch-all", "cluster-job", "list-table-pods"];
const groups = countGroups(names, [
  run("embedded", { "crud-pod": "passes", "crud-node": "passes", "watch-all": "passes", "list-table-pods": "passes" }),
  run("embedded", {
    "crud-pod": "fails",
    "cluster-job": "passes",
    "list-table-pods": "steps[12].body.rows[1].cells[3]",
  }),
  run("etcd", { "crud-pod": "passes", "list-table-pods": "fails" }),
]);

test("a scenario's outcome on a store is the worst of its runs there", () => {
  const none = { rightAtLevel: [], failed: [], skipped: 0 };
  expect(groups.map(({ name, scenarios, byStore }) => [name, scenarios, byStore.get("embedded")])).toEqual([
    ["cluster", 1, { ...none, passed: 1 }],
    ["crud", 2, { ...none, passed: 1, failed: ["crud-pod"] }],
    ["list", 1, { ...none, passed: 0, rightAtLevel: ["list-table-pods"] }],
    ["watch", 1, { ...none, passed: 1 }],
  ]);
  expect(groups[1]?.byStore.get("etcd")).toEqual({ ...none, passed: 1, skipped: 1 });
  expect(groups[2]?.byStore.get("etcd")).toEqual({ ...none, passed: 0, failed: ["list-table-pods"] });
});

test("the table has a column per store, names what fails, and gives reasons for what differs", () => {
  const text = renderCounts(groups, "2024-01-01");
  expect(text).toContain("| group | scenarios | embedded | etcd |");
  expect(text).toContain("| crud | 2 | 1 / 0 / 1 / 0 | 1 / 0 / 0 / 1 |");
  expect(text).toContain("| list | 1 | 0 / 1 / 0 / 0 | 0 / 0 / 1 / 0 |");
  expect(text).toContain("Failing on embedded: crud-pod.");
  expect(text).toContain("Failing on etcd: list-table-pods.");
  expect(text).toContain("| list-table-pods | restarts are text |");
  expect(text).not.toContain("| patch-merge-bad |");
});

test.each([
  ["a new document", undefined, /^# Compatibility\n\n## Recorded/],
  ["one without counts", "# Clients\n\nkubectl 1.32 works.\n", /kubectl 1\.32 works\.\n\n## Recorded conversations/],
])("puts the counts into %s, and replaces them the next time", (_, document, head) => {
  const first = replaceCounts(document, renderCounts(groups, "2024-01-01"));
  expect(first).toMatch(head);
  const written = `${first}\nWritten by hand.\n`;
  const second = replaceCounts(written, renderCounts(groups, "2024-02-02"));
  expect(second).toBe(written.replace("2024-01-01", "2024-02-02"));
});
