import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readResults, renderFailures } from "./test-results.mjs";

let root;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "results-"));
  for (const group of ["packages", "apps", "tools"]) mkdirSync(join(root, group));
});
afterEach(() => rmSync(root, { recursive: true }));

/** A package with tests, and its report unless that is missing. */
function addPackage(name, report) {
  const folder = join(root, "packages", name);
  mkdirSync(join(folder, "dist"), { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ scripts: { test: "vitest run" } }));
  if (report !== undefined) writeFileSync(join(folder, "dist/test-results.json"), JSON.stringify(report(folder)));
}

const passing = () => ({ success: true, numPassedTests: 3, numFailedTests: 0, numPendingTests: 1, testResults: [] });
const withFile = (file) => (folder) => ({
  success: false,
  numPassedTests: 1,
  numPendingTests: 0,
  numTodoTests: 2,
  testResults: [{ name: join(folder, "src/a.test.ts"), message: "", status: "failed", assertionResults: [], ...file }],
});
const failedTest = {
  status: "failed",
  fullName: "a pod ends",
  failureMessages: ["AssertionError: expected 1 to be 2\n    at /x/a.test.ts:3:4\n\n\u001b[31m- 2\u001b[39m\n+ 1"],
};

test.each([
  ["nothing failed", passing, false, { passed: 3, skipped: 1, failures: [] }],
  [
    "a test failed",
    withFile({ assertionResults: [{ status: "passed", fullName: "other" }, failedTest] }),
    true,
    {
      passed: 1,
      skipped: 2,
      failures: [
        {
          name: "packages/p/src/a.test.ts > a pod ends",
          lines: ["AssertionError: expected 1 to be 2", "- 2", "+ 1"],
        },
      ],
    },
  ],
  [
    "a file could not be loaded",
    withFile({ message: "SyntaxError: Unexpected token\n    at /x:1" }),
    true,
    { failures: [{ name: "packages/p/src/a.test.ts", lines: ["SyntaxError: Unexpected token"] }] },
  ],
  [
    "a error outside of tests",
    () => ({ ...passing(), success: false }),
    true,
    { passed: 3, failures: [{ name: "packages/p", lines: [expect.stringMatching(/outside of its tests/)] }] },
  ],
  [
    "no report",
    undefined,
    true,
    { passed: 0, failures: [{ name: "packages/p", lines: [expect.stringMatching(/no report shows why/)] }] },
  ],
  ["no report of a run that went well", undefined, false, { failures: [] }],
])("%s", (_, report, runFailed, want) => {
  addPackage("p", report);
  expect(readResults(root, { runFailed })).toMatchObject(want);
});

test("a failure of the run itself is reported, even if every report is fine", () => {
  addPackage("p", passing);
  expect(readResults(root, { runFailed: true }).failures).toHaveLength(1);
});

test("failures are shown with the first lines of their errors", () => {
  addPackage("p", withFile({ assertionResults: [failedTest, { ...failedTest, failureMessages: ["x\n".repeat(20)] }] }));
  const text = renderFailures(readResults(root, { runFailed: true }).failures);
  expect(text).toContain(
    "\n✗ packages/p/src/a.test.ts > a pod ends\n    AssertionError: expected 1 to be 2\n    - 2\n",
  );
  expect(text.match(/^ {4}x$/gm)).toHaveLength(6);
  expect(renderFailures([])).toBe("");
});
