import { workspaceRoot } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { commitOf, renderComparisonPage } from "./page.ts";

test("the page names both commits, the rounds, the machine and the day, and has a row for each kind of load", () => {
  const facts = {
    date: "2026-01-02",
    machine: "2 cores",
    theirs: "commit `a`",
    ours: "commit `b`",
    rounds: 3,
    starts: 2,
  };
  const starts = [90, 95, 99].map((ours) => ({ theirs: 100, ours, ratio: ours / 100 }));
  const page = renderComparisonPage(facts, [{ name: "GET", starts }]);
  expect(page).toContain("Other: commit `a`. This: commit `b`. 3 rounds in 2 starts, 2026-01-02, 2 cores.");
  expect(page).toContain("| GET | 100 | 95 | 0.95 | 0.90–0.99 |");
});

test("a checkout is named by its commit", () => {
  expect(commitOf(workspaceRoot)).toMatch(/^commit `[0-9a-f]{8}`( with changes)?$/);
});
