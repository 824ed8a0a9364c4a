import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { TestCluster } from "@orchernetes/testkit";
import { toolCommand } from "@orchernetes/testkit";

const run = promisify(execFile);

/** A control as `npm run check -- -o json` shows it. */
interface CheckedControl {
  readonly number: string;
  readonly status: "pass" | "fail" | "warn" | "not applicable";
  readonly found?: string;
}

/** What `npm run check` says about a cluster. */
export interface CheckResult {
  readonly exitCode: number;
  /** Numbers of the controls with a status, in the order of the report. */
  numbers(status: CheckedControl["status"]): readonly string[];
}

/** Checks a cluster with everything that can be seen on this host. @throws Error when it cannot be checked */
export async function runCheck({ clientConfig, dataDir }: TestCluster): Promise<CheckResult> {
  const options = [`--orchconfig=${clientConfig}`, `--data=${dataDir}`, "--output=json"];
  const [file = "", ...args] = toolCommand("check", options);
  const { stdout, exitCode } = await run(file, args, { maxBuffer: 16 * 1024 * 1024 }).then(
    (done) => ({ ...done, exitCode: 0 }),
    (error: { readonly code?: number; readonly stdout?: string; readonly stderr?: string }) => {
      if (error.code !== 1) throw new Error(`check failed: ${error.stderr}`, { cause: error });
      return { stdout: error.stdout ?? "", exitCode: 1 };
    },
  );
  const { controls } = JSON.parse(stdout) as { readonly controls: readonly CheckedControl[] };
  return {
    exitCode,
    numbers: (status) => controls.filter((control) => control.status === status).map(({ number }) => number),
  };
}
