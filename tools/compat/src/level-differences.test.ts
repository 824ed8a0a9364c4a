import { expect, test } from "vitest";
import { isRightAtLevel, LEVEL_DIFFERENCES, type LevelDifference } from "./level-differences.ts";

const known: readonly LevelDifference[] = [
  { scenario: "a", paths: ["steps[1].body.rows[*].cells", "steps[2].status"], difference: "", reason: "" },
];

test.each([
  ["below a path", "a", ["steps[1].body.rows[3].cells[0]"], true],
  ["at a path", "a", ["steps[2].status", "steps[1].body.rows[0].cells"], true],
  ["one of them elsewhere", "a", ["steps[2].status", "steps[2].body.code"], false],
  ["in another step", "a", ["steps[12].status"], false],
  ["at a longer name", "a", ["steps[1].body.rows[0].cellsOf"], false],
  ["in another scenario", "b", ["steps[2].status"], false],
  ["nowhere, as when it stopped", "a", [], false],
  ["at no path", "a", [""], false],
])("differences %s", (_, scenario, paths, want) => {
  expect(isRightAtLevel(scenario, paths, known)).toBe(want);
});

test("every difference has its own scenario, and a reason", () => {
  const names = LEVEL_DIFFERENCES.map(({ scenario }) => scenario);
  expect(new Set(names).size).toBe(names.length);
  expect(LEVEL_DIFFERENCES.filter(({ paths, reason }) => paths.length === 0 || reason === "")).toEqual([]);
});
