import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { packageFolders } from "./test-results.mjs";

/** File in which the test run of a package writes its coverage summary. */
export const coverageOf = (folder) => join(folder, "dist/coverage/coverage-summary.json");

/** Arguments with which vitest writes it. Files that no test loads count, too. */
export const COVERAGE_ARGS = [
  "--coverage",
  "--coverage.provider=v8",
  "--coverage.reporter=json-summary",
  "--coverage.reportsDirectory=dist/coverage",
  "--coverage.include=src/**/*.ts",
  "--coverage.exclude=**/*.test.ts",
];

/**
 * The lines of each package that its own tests executed in their own process, in the order of the packages. Daemons
 * that tests start as processes, and tests of other packages, do not count.
 *
 * @param {string} root folder of the workspace
 * @returns {{ name: string, covered: number, lines: number }[]} without packages that have no summary
 */
export function readCoverage(root) {
  return packageFolders(root).flatMap((folder) => {
    try {
      const { lines } = JSON.parse(readFileSync(coverageOf(folder), "utf8")).total;
      return [{ name: relative(root, folder), covered: lines.covered, lines: lines.total }];
    } catch (error) {
      if (error.code === "ENOENT") return [];
      throw new Error(`cannot read ${coverageOf(folder)}: ${error.message}`, { cause: error });
    }
  });
}

/** A table of the packages and their sum. Empty when there is no package. */
export function renderCoverage(packages) {
  if (packages.length === 0) return "";
  const sum = (key) => packages.reduce((total, one) => total + one[key], 0);
  const all = [...packages, { name: "all", covered: sum("covered"), lines: sum("lines") }];
  const width = Math.max(...all.map(({ name }) => name.length));
  const rows = all.map(({ name, covered, lines }) => {
    const share = lines === 0 ? 100 : (covered / lines) * 100;
    return `${name.padEnd(width)}  ${share.toFixed(1).padStart(5)} %  ${covered} of ${lines}`;
  });
  return `\nLines that a package's own tests execute, without the daemons they start:\n${rows.join("\n")}\n\n`;
}
