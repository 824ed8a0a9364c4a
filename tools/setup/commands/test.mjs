import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pinnedEnv, root, run } from "../lib/process.mjs";
import { runChecks } from "./checks.mjs";

const packages = () =>
  ["packages", "apps", "tools"].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => join(root, group, name)),
  );

const resultsOf = (folder) => join(folder, "dist", "test-results.json");

/** Adds up what the packages' test runs wrote; a package whose results are missing after a failure counts as one failure. */
function tally(turboFailed) {
  const sum = { passed: 0, failed: 0, skipped: 0 };
  for (const folder of packages()) {
    const file = resultsOf(folder);
    if (!existsSync(file)) continue;
    const results = JSON.parse(readFileSync(file, "utf8"));
    sum.passed += results.numPassedTests;
    sum.failed += results.numFailedTests;
    sum.skipped += results.numPendingTests + (results.numTodoTests ?? 0);
    // A file that fails to load reports no test of its own.
    sum.failed += (results.testResults ?? []).filter(
      (t) => t.status === "failed" && t.assertionResults.length === 0,
    ).length;
  }
  if (turboFailed && sum.failed === 0) sum.failed = 1;
  return sum;
}

/**
 * `npm test`: format and lint, types, then unit, integration and end-to-end tests. The last line printed is
 * `N passed, N failed, N skipped`; resolves to 0 only if nothing failed.
 */
export async function runTests(args, missingPackages) {
  const failedChecks = await runChecks(["lint", "typecheck"]);
  if (failedChecks !== 0) {
    console.log("0 passed, 1 failed, 0 skipped");
    return failedChecks;
  }
  for (const folder of packages()) rmSync(resultsOf(folder), { force: true });
  const env = pinnedEnv();
  const turbo = (filter, concurrency) =>
    run(
      "turbo",
      [
        "run",
        "test",
        "--output-logs=new-only",
        "--ui=stream",
        "--continue",
        `--concurrency=${concurrency}`,
        ...filter,
        ...args,
      ],
      { env },
    );
  const unit = await turbo(["--filter=!@orchernetes/e2e"], 2);
  const endToEnd = await turbo(["--filter=@orchernetes/e2e"], 1);
  for (const line of missingPackages) console.log(`skipped for want of ${line}`);
  const sum = tally(unit !== 0 || endToEnd !== 0);
  console.log(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`);
  return sum.failed === 0 ? 0 : 1;
}
