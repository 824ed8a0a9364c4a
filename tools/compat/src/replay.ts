import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Options } from "./options.ts";

/** One scenario's outcome. */
export interface Scenario {
  readonly name: string;
  readonly passed: boolean;
  /** Differences from the recording. One without a path is the reason why the scenario stopped. */
  readonly diffs: readonly { readonly path: string }[];
}

/** The result of replaying the recordings. Scenarios are absent if the server lacks a precondition. */
export interface ReplayReport {
  readonly scenarios: readonly Scenario[];
}

/**
 * Replays the recordings against a server. Their output goes to standard error.
 *
 * @param server - its token must be one of a cluster administrator; `have` lists preconditions that the recordings
 *   cannot detect
 * @throws Error when the replayer writes no report
 */
export async function replay(
  options: Pick<Options, "folder" | "filter" | "orchctl">,
  server: { readonly url: string; readonly token: string; readonly have: readonly string[] },
): Promise<ReplayReport> {
  const dir = mkdtempSync(join(tmpdir(), "o8s-replay-"));
  const report = join(dir, "report.json");
  const flags = {
    "--url": server.url,
    "--token": server.token,
    "--json": report,
    "--have": server.have.join(","),
    "--filter": options.filter,
    "--orchctl": options.orchctl,
  };
  const args = Object.entries(flags).flatMap(([flag, value]) => (value ? [flag, value] : []));
  try {
    const code = await new Promise<number>((resolve, reject) => {
      const child = spawn(process.execPath, [join(options.folder, "replay.mjs"), options.folder, ...args], {
        stdio: ["ignore", 2, 2],
      });
      child.once("error", reject);
      child.once("exit", (status) => resolve(status ?? 1));
    });
    try {
      return JSON.parse(readFileSync(report, "utf8")) as ReplayReport;
    } catch (cause) {
      throw new Error(`replay.mjs ended with exit code ${code} and wrote no report`, { cause });
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
