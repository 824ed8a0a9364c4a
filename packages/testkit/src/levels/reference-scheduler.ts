import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../processes/free-port.ts";
import { logTail, startGuarded } from "../processes/guarded-process.ts";

/** The program of the original's scheduler, and where it finds its API server. */
export interface ReferenceSchedulerOptions {
  /** Path of the program, of level 1.20, built for this dialect. */
  readonly program: string;
  /** Client configuration file, see {@link writeOpenClientConfig}. */
  readonly clientConfig: string;
  /** Folder for its certificate and its log. */
  readonly dir: string;
  /** Further flags. */
  readonly flags?: readonly string[];
}

/** The original's scheduler, as a child process. */
export interface ReferenceScheduler {
  readonly running: boolean;
  /** The end of its log. */
  log(lines?: number): string;
  stop(): Promise<unknown>;
}

/** Starts the original's scheduler. Does not wait until it is ready. It ends with this process at the latest. */
export async function startReferenceScheduler({
  program,
  clientConfig,
  dir,
  flags = [],
}: ReferenceSchedulerOptions): Promise<ReferenceScheduler> {
  const logFile = join(dir, "reference-scheduler.log");
  const child = await startGuarded({
    command: [
      program,
      `--orchconfig=${clientConfig}`,
      // The port without TLS of that level.
      "--port=0",
      "--bind-address=127.0.0.1",
      `--secure-port=${await freePort()}`,
      `--cert-dir=${join(dir, "reference-scheduler")}`,
      "--authentication-skip-lookup=true",
      ...flags,
    ],
    logFile,
  });
  return {
    get running() {
      return child.running;
    },
    log: (lines) => logTail(logFile, lines),
    stop: () => child.end(),
  };
}

/**
 * Writes a client configuration without credentials, for a server that wants none, such as a proxy without TLS.
 *
 * @returns the file
 */
export function writeOpenClientConfig(file: string, server: string): string {
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: { server } }],
    users: [{ name: "u", user: {} }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  };
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  return file;
}
