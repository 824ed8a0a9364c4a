import { expect, test } from "vitest";
import { countGroups } from "./counts.ts";
import { renderCounts, replaceCounts } from "./document.ts";
import type { Run } from "./runs.ts";

const run = (store: Run["store"], outcomes: Readonly<Record<string, boolean>>): Run => ({
  store,
  against: "API server",
  report: { scenarios: Object.entries(outcomes).map(([name, passed]) => ({ name, passed })) },
});
const names = ["crud-pod", "crud-node", "watch-all", "cluster-job"];
const groups = countGroups(names, [
  run("embedded", { "crud-pod": true, "crud-node": true, "watch-all": true }),
  run("embedded", { "crud-pod": false, "cluster-job": true }),
  run("etcd", { "crud-pod": true }),
]);

test("a scenario passes on a store only if it passed in every run there", () => {
  expect(groups.map(({ name, scenarios, byStore }) => [name, scenarios, byStore.get("embedded")])).toEqual([
    ["cluster", 1, { passed: 1, failed: [], skipped: 0 }],
    ["crud", 2, { passed: 1, failed: ["crud-pod"], skipped: 0 }],
    ["watch", 1, { passed: 1, failed: [], skipped: 0 }],
  ]);
  expect(groups[1]?.byStore.get("etcd")).toEqual({ passed: 1, failed: [], skipped: 1 });
});

test("the table has a column per store and names what fails", () => {
  const text = renderCounts(groups, "2024-01-01");
  expect(text).toContain("| group | scenarios | embedded | etcd |");
  expect(text).toContain("| crud | 2 | 1 / 1 / 0 | 1 / 0 / 1 |");
  expect(text).toContain("Failing on embedded: crud-pod.");
  expect(text).not.toContain("Failing on etcd");
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
