import { rmSync } from "node:fs";
import { basename } from "node:path";
import { pinnedEnv, root, run, runPinned } from "../lib/process.mjs";
import { COVERAGE_ARGS, coverageOf, readCoverage, renderCoverage } from "../lib/test-coverage.mjs";
import { packageFolders, readResults, renderFailures, resultsOf } from "../lib/test-results.mjs";
import { selectTests } from "../lib/test-selection.mjs";
import { runChecks } from "./checks.mjs";

/** Packages whose tests start containers. They run without others, which would slow them down beyond the limits of tests. */
const WITH_CONTAINERS = ["cri", "orchlet", "e2e"];

/**
 * Groups of suites, which run one after the other. The limits of tests and hooks, in seconds, are generous for
 * machines that do other work too: they only end what hangs. Two packages run at a time with two workers each, even
 * on two cores, since many tests wait for processes more than they compute.
 *
 * The test files of a worker share loaded modules (`--no-isolate`): loading them again for each file took half of the
 * time. A test must therefore leave nothing behind in modules, globals or the environment.
 */
const GROUPS = [
  {
    filter: WITH_CONTAINERS.map((name) => `--filter=!@orchernetes/${name}`),
    at: 2,
    limits: [...limits(60, 120), "--maxWorkers=2"],
  },
  {
    filter: ["--filter=@orchernetes/cri", "--filter=@orchernetes/orchlet"],
    at: 2,
    limits: [...limits(300, 600), "--maxWorkers=2"],
  },
  { filter: ["--filter=@orchernetes/e2e"], at: 1, limits: limits(300, 600) },
];

/** Builds the bundles that tests start daemons from. */
const BUILD = `${root}/tools/build/src/main.ts`;

function limits(test, hook) {
  return [`--testTimeout=${test}000`, `--hookTimeout=${hook}000`, "--expect.poll.timeout=30000", "--no-isolate"];
}

/** Runs the suites of all packages, also after one has failed. Resolves to whether all succeeded. */
async function runAll(env, extra) {
  let succeeded = true;
  for (const { filter, at, limits } of GROUPS) {
    const options = ["--output-logs=new-only", "--ui=stream", "--continue=always", `--concurrency=${at}`];
    const code = await run("turbo", ["run", "test", ...options, ...filter, "--", ...limits, ...extra], { env });
    succeeded &&= code === 0;
  }
  return succeeded;
}

/** Runs a selection, one package after the other. Resolves to whether all succeeded. */
async function runSome(runs, env, extra) {
  let succeeded = true;
  for (const { folder, args } of runs) {
    const { limits } = GROUPS[WITH_CONTAINERS.includes(basename(folder)) ? 1 : 0];
    const report = ["--reporter=default", "--reporter=json", `--outputFile.json=${resultsOf(folder)}`];
    const code = await run("vitest", ["run", "--passWithNoTests", ...report, ...limits, ...extra, ...args], {
      env,
      cwd: folder,
    });
    succeeded &&= code === 0;
  }
  return succeeded;
}

/**
 * `npm test`: format, lint and types, then unit, integration and end-to-end tests, whose daemons run from bundles that
 * are built meanwhile. With arguments only the tests that they select ({@link selectTests}), from the sources and
 * without the checks. `--coverage` adds a table of line coverage by package.
 *
 * The last line printed is `N passed, N failed, N skipped`, right after the names and first error lines of the
 * failures. Resolves to 0 only if nothing failed.
 */
export async function runTests(args, missingPackages) {
  const selection = selectTests(root, args, process.env.INIT_CWD);
  if (selection.kind === "all") {
    // Daemons keep the code that they compile for each other's next start: the bundles need none.
    const [checked, built] = await Promise.all([
      runChecks(["lint", "typecheck"]),
      runPinned([BUILD, "--outdated", "--no-code"]),
    ]);
    if (checked !== 0 || built !== 0) {
      console.log("0 passed, 1 failed, 0 skipped");
      return checked || built;
    }
  }
  for (const folder of packageFolders(root)) {
    rmSync(resultsOf(folder), { force: true });
    rmSync(coverageOf(folder), { force: true });
  }
  const env = pinnedEnv(selection.kind === "all" ? { ORCHERNETES_TEST_DAEMONS: "bundle" } : {});
  const extra = selection.coverage ? COVERAGE_ARGS : [];
  const succeeded = selection.kind === "all" ? await runAll(env, extra) : await runSome(selection.runs, env, extra);
  if (selection.coverage) process.stdout.write(renderCoverage(readCoverage(root)));
  for (const line of missingPackages) console.log(`skipped because of a missing package: ${line}`);
  const { passed, skipped, failures } = readResults(root, { runFailed: !succeeded });
  process.stdout.write(renderFailures(failures));
  console.log(`${passed} passed, ${failures.length} failed, ${skipped} skipped`);
  return failures.length === 0 ? 0 : 1;
}
