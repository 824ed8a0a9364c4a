import { execFile, spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { promisify } from "node:util";
import { type Result, readResults, readResultsIn } from "./results.ts";
import type { Suite } from "./suite.ts";

const ALONE = "\\[Serial\\]|\\[Disruptive\\]";

/** One invocation of the suite. */
interface Pass {
  readonly name: "parallel" | "serial";
  readonly processes: number;
  readonly focus: string;
  readonly skip: string;
}

/** Which specs of the suite to run, and against what. */
export interface RunSuiteOptions {
  /** Client configuration of the cluster's administrator. */
  readonly clientConfig: string;
  /** Folder for the suite's output, created if missing. Earlier results there are used for specs that are not run again. */
  readonly outputFolder: string;
  /** Names this run's files; names of later runs sort after those of earlier ones. */
  readonly runName: string;
  readonly nodes: number;
  /** Number of concurrent specs, except `[Serial]` ones. */
  readonly parallel: number;
  readonly focus: string;
  /** Regular expressions of specs to skip. */
  readonly skip: readonly string[];
  /** Further environment of the suite. */
  readonly env: Readonly<Record<string, string>>;
}

/** Selecting `[Serial]` specs needs lookahead, which Go's regular expressions lack: match both texts in either order. */
function passes({ parallel, focus, skip }: RunSuiteOptions): readonly Pass[] {
  const without = (more: readonly string[]): string => [...skip, ...more].map((part) => `(${part})`).join("|");
  return [
    { name: "parallel", processes: parallel, focus, skip: without([ALONE]) },
    {
      name: "serial",
      processes: 1,
      focus: `(${focus}).*(${ALONE})|(${ALONE}).*(${focus})`,
      skip: without([]),
    },
  ];
}

/** The names of the specs that match a regular expression. Runs none of them. */
export async function listSpecs(suite: Suite, focus: string): Promise<readonly string[]> {
  const args = ["-ginkgo.dryRun", `-ginkgo.focus=${focus}`, "--orchconfig=/nonexistent", "--provider=skeleton"];
  const { stdout } = await promisify(execFile)(suite.specs, args, { cwd: suite.repoRoot, maxBuffer: 64 * 1024 * 1024 });
  return [...readResults(stdout).keys()];
}

async function runPass(suite: Suite, options: RunSuiteOptions, pass: Pass): Promise<string> {
  const outputPath = join(options.outputFolder, `${options.runName}-${pass.name}.txt`);
  const output = createWriteStream(outputPath);
  const args = [
    `-nodes=${pass.processes}`,
    "-noColor",
    `-focus=${pass.focus}`,
    ...(pass.skip === "" ? [] : [`-skip=${pass.skip}`]),
    suite.specs,
    "--",
    `--orchconfig=${options.clientConfig}`,
    `--orchctl-path=${suite.client}`,
    "--provider=skeleton",
    `--repo-root=${suite.repoRoot}`,
    "--allowed-not-ready-nodes=1",
    // Without it the suite skips the specs that need two.
    `--num-nodes=${options.nodes}`,
  ];
  const child = spawn(suite.ginkgo, args, {
    cwd: suite.repoRoot,
    env: { ...process.env, ...options.env, KUBECONFIG: options.clientConfig },
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.pipe(output, { end: false });
  child.stderr.pipe(output, { end: false });
  await new Promise<void>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => resolve());
  });
  output.end();
  await finished(output);
  return readFile(outputPath, "utf8");
}

/**
 * Runs the suite: first the specs that may run in parallel, then the `[Serial]` ones, one after the other.
 *
 * @returns the last result of each spec, including earlier runs with the same folder
 * @throws Error when a pass ran no spec, which means that the suite could not reach the cluster
 */
export async function runSuite(suite: Suite, options: RunSuiteOptions): Promise<ReadonlyMap<string, Result>> {
  await mkdir(options.outputFolder, { recursive: true });
  for (const pass of passes(options)) {
    const output = await runPass(suite, options, pass);
    if (!/Ran \d+ of \d+ Specs/.test(output))
      throw new Error(
        `the ${pass.name} specs did not run; the suite printed, in ${options.outputFolder}/${options.runName}-${pass.name}.txt:\n${output.slice(-2000)}`,
      );
  }
  return readResultsIn(options.outputFolder);
}
