import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

/** Lines of an error to show: enough for the message and the difference that an assertion found. */
const ERROR_LINES = 6;
const LINE_LENGTH = 300;

/** File in which the test run of a package writes its report. */
export const resultsOf = (folder) => join(folder, "dist", "test-results.json");

/** Folders of the packages of the workspace. */
export const packageFolders = (root) =>
  ["packages", "apps", "tools"].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => join(root, group, name)),
  );

/** The first lines of an error, without colours and stack frames. */
function firstLines(message) {
  return (
    String(message ?? "")
      // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colours start with one
      .replaceAll(/\u001b\[[0-9;]*m/g, "")
      .split("\n")
      .filter((line) => line.trim() !== "" && !/^\s+at /.test(line))
      .slice(0, ERROR_LINES)
      .map((line) => (line.length > LINE_LENGTH ? `${line.slice(0, LINE_LENGTH)}…` : line))
  );
}

/**
 * The failures in one report. A file that could not be loaded is a failure, and so is a run that failed although all
 * of its tests passed.
 */
function failuresOf(report, where, root) {
  const failures = [];
  for (const file of report.testResults ?? []) {
    const path = relative(root, file.name);
    const failed = file.assertionResults.filter(({ status }) => status === "failed");
    for (const { fullName, failureMessages = [] } of failed)
      failures.push({ name: `${path} > ${fullName}`, lines: firstLines(failureMessages.join("\n")) });
    if (file.status === "failed" && failed.length === 0)
      failures.push({ name: path, lines: firstLines(file.message || "the file failed outside of its tests") });
  }
  if (failures.length === 0 && report.success === false)
    failures.push({ name: where, lines: ["the run failed outside of its tests; see its log"] });
  return failures;
}

/**
 * Adds up the reports of all packages.
 *
 * @param {string} root folder of the workspace
 * @param {{ runFailed: boolean }} outcome runFailed: whether the run of any package failed. If no report explains it,
 *   the packages without a readable report are named: their run was interrupted, or failed outside of tests.
 * @returns {{ passed: number, skipped: number, failures: { name: string, lines: string[] }[] }}
 */
export function readResults(root, { runFailed }) {
  const sum = { passed: 0, skipped: 0, failures: [] };
  const silent = [];
  for (const folder of packageFolders(root)) {
    const where = relative(root, folder);
    let report;
    try {
      report = JSON.parse(readFileSync(resultsOf(folder), "utf8"));
    } catch {
      const manifest = join(folder, "package.json");
      if (existsSync(manifest) && JSON.parse(readFileSync(manifest, "utf8")).scripts?.test) silent.push(where);
      continue;
    }
    sum.passed += report.numPassedTests;
    sum.skipped += report.numPendingTests + (report.numTodoTests ?? 0);
    sum.failures.push(...failuresOf(report, where, root));
  }
  if (runFailed && sum.failures.length === 0) {
    const name = silent.length > 0 ? silent.join(", ") : "the test run";
    sum.failures.push({
      name,
      lines: ["a run failed, but no report shows why (it was interrupted, or failed outside of tests); see its log"],
    });
  }
  return sum;
}

/** The failures as text, for output right before the last line of a test run. Empty when there are none. */
export function renderFailures(failures) {
  if (failures.length === 0) return "";
  const blocks = failures.map(({ name, lines }) => [`✗ ${name}`, ...lines.map((line) => `    ${line}`)].join("\n"));
  return `\nFailed:\n${blocks.join("\n")}\n`;
}
