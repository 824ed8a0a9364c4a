import { spawnSync } from "node:child_process";
import { type DaemonName, daemonCommand } from "./daemon-path.ts";

/** How a daemon ended that was not to start. */
export interface FailedStart {
  readonly code: number | null;
  readonly stdout: string;
  /** Lines of standard error, without the daemon's name before each. */
  readonly errors: readonly string[];
}

/** Most time a daemon gets to find what is wrong. */
const TIMEOUT_MS = 60_000;

/** Runs a daemon from source, outside any cluster, until it ends by itself. */
export function failedStart(name: DaemonName, flags: readonly string[]): FailedStart {
  const [program = "", ...args] = daemonCommand(name, flags);
  const { ORCHERNETES_SERVICE_HOST: _, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8", timeout: TIMEOUT_MS, env });
  const lines = stderr.split("\n").filter((line) => line !== "");
  return {
    code: status,
    stdout,
    errors: lines.map((line) => (line.startsWith(`${name}: `) ? line.slice(name.length + 2) : line)),
  };
}
