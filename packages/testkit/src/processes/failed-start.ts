import { spawnSync } from "node:child_process";
import { type DaemonName, daemonCommand } from "./daemon-path.ts";

/** Outcome of a daemon that is expected not to start. */
export interface FailedStart {
  /** Exit code; null if it was killed at the time limit. */
  readonly code: number | null;
  readonly stdout: string;
  /** Lines of standard error, without the daemon's name before each. */
  readonly errors: readonly string[];
}

/** Time that a daemon has to detect what is wrong, in milliseconds. */
const TIMEOUT_MS = 60_000;

/** Runs a daemon, outside any cluster, until it exits. Blocks this process in the meantime. */
export function failedStart(name: DaemonName, flags: readonly string[]): FailedStart {
  const [program = "", ...args] = daemonCommand(name, flags);
  // Without the variable a daemon does not look for a service account.
  const { ORCHERNETES_SERVICE_HOST: _, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8", timeout: TIMEOUT_MS, env });
  const lines = stderr.split("\n").filter((line) => line !== "");
  return {
    code: status,
    stdout,
    errors: lines.map((line) => (line.startsWith(`${name}: `) ? line.slice(name.length + 2) : line)),
  };
}
