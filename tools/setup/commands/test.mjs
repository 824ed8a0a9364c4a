import { rmSync } from "node:fs";
import { pinnedEnv, root, run } from "../lib/process.mjs";
import { packageFolders, readResults, renderFailures, resultsOf } from "../lib/test-results.mjs";
import { runChecks } from "./checks.mjs";

/**
 * The suites, in groups that run one after the other. Those that start containers have the machine to themselves: beside
 * one another, or beside anything else on two cores, they measure the machine.
 */
const GROUPS = [
  { filter: ["--filter=!@orchernetes/cri", "--filter=!@orchernetes/orchlet", "--filter=!@orchernetes/e2e"], at: 2 },
  { filter: ["--filter=@orchernetes/cri", "--filter=@orchernetes/orchlet", "--filter=@orchernetes/e2e"], at: 1 },
];

/**
 * `npm test`: format and lint, types, then unit, integration and end-to-end tests. A failing suite stops no other. The last
 * line printed is `N passed, N failed, N skipped`, right below the names and first error lines of what failed; resolves to 0
 * only if nothing failed.
 */
export async function runTests(args, missingPackages) {
  const failedChecks = await runChecks(["lint", "typecheck"]);
  if (failedChecks !== 0) {
    console.log("0 passed, 1 failed, 0 skipped");
    return failedChecks;
  }
  for (const folder of packageFolders(root)) rmSync(resultsOf(folder), { force: true });
  const env = pinnedEnv();
  let runFailed = false;
  for (const { filter, at } of GROUPS) {
    const options = ["--output-logs=new-only", "--ui=stream", "--continue=always", `--concurrency=${at}`];
    const code = await run("turbo", ["run", "test", ...options, ...filter, ...args], { env });
    runFailed ||= code !== 0;
  }
  for (const line of missingPackages) console.log(`skipped for want of ${line}`);
  const { passed, skipped, failures } = readResults(root, { runFailed });
  process.stdout.write(renderFailures(failures));
  console.log(`${passed} passed, ${failures.length} failed, ${skipped} skipped`);
  return failures.length === 0 ? 0 : 1;
}
