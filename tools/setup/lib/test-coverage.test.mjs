import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { coverageOf, readCoverage, renderCoverage } from "./test-coverage.mjs";

let root;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "coverage-"));
  for (const folder of ["packages/a", "packages/b", "apps/c", "tools"])
    mkdirSync(join(root, folder), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true }));

function addSummary(name, text) {
  const file = coverageOf(join(root, name));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const summary = (covered, total) => JSON.stringify({ total: { lines: { covered, total } } });

test("packages with a summary are listed in order, with their sum", () => {
  addSummary("apps/c", summary(1, 3));
  addSummary("packages/a", summary(9, 10));
  const found = readCoverage(root);
  expect(found).toEqual([
    { name: "packages/a", covered: 9, lines: 10 },
    { name: "apps/c", covered: 1, lines: 3 },
  ]);
  expect(renderCoverage(found).split("\n").slice(2, 5)).toEqual([
    "packages/a   90.0 %  9 of 10",
    "apps/c       33.3 %  1 of 3",
    "all          76.9 %  10 of 13",
  ]);
});

test("without any summary there is no table", () => {
  expect(renderCoverage(readCoverage(root))).toBe("");
});

test("a package without lines is covered", () => {
  expect(renderCoverage([{ name: "packages/a", covered: 0, lines: 0 }])).toContain("packages/a  100.0 %");
});

test("a summary that cannot be read is an error that names its file", () => {
  addSummary("packages/b", "{");
  expect(() => readCoverage(root)).toThrow(coverageOf(join(root, "packages/b")));
});
