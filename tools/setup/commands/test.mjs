import { rmSync } from "node:fs";
import { pinnedEnv, root, run } from "../lib/process.mjs";
import { packageFolders, readResults, renderFailures, resultsOf } from "../lib/test-results.mjs";
import { runChecks } from "./checks.mjs";

/**
 * The suites, in groups that run one after the other. Those that start containers have the machine to themselves: beside
 * one another, or beside anything else on two cores, they measure the machine. The limits of tests and hooks, in seconds, are
 * for machines that do other work too: they end what hangs.
 */
const GROUPS = [
  {
    filter: ["--filter=!@orchernetes/cri", "--filter=!@orchernetes/orchlet", "--filter=!@orchernetes/e2e"],
    at: 2,
    test: 60,
    hook: 120,
  },
  {
    filter: ["--filter=@orchernetes/cri", "--filter=@orchernetes/orchlet", "--filter=@orchernetes/e2e"],
    at: 1,
    test: 300,
    hook: 600,
  },
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
  const end = args.includes("--") ? args.indexOf("--") : args.length;
  const [forTurbo, forVitest] = [args.slice(0, end), args.slice(end + 1)];
  for (const { filter, at, test, hook } of GROUPS) {
    const options = ["--output-logs=new-only", "--ui=stream", "--continue=always", `--concurrency=${at}`];
    const limits = [`--testTimeout=${test}000`, `--hookTimeout=${hook}000`, "--expect.poll.timeout=30000"];
    const command = ["run", "test", ...options, ...filter, ...forTurbo, "--", ...limits, ...forVitest];
    const code = await run("turbo", command, { env });
    runFailed ||= code !== 0;
  }
  for (const line of missingPackages) console.log(`skipped for want of ${line}`);
  const { passed, skipped, failures } = readResults(root, { runFailed });
  process.stdout.write(renderFailures(failures));
  console.log(`${passed} passed, ${failures.length} failed, ${skipped} skipped`);
  return failures.length === 0 ? 0 : 1;
}
