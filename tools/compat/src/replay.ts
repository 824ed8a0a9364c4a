import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Options } from "./options.ts";

/** One scenario's outcome. */
export interface Scenario {
  readonly name: string;
  readonly passed: boolean;
  /** Where the answers differed from the recording; one without a path is what stopped the scenario. */
  readonly diffs: readonly { readonly path: string }[];
}

/** What a run of the recordings came to. Scenarios whose needs the server lacks are not among them. */
export interface ReplayReport {
  readonly scenarios: readonly Scenario[];
}

/**
 * Runs the recordings against a server; what they print goes to standard error.
 *
 * @param token of a cluster administrator
 * @param have conditions that the recordings can't detect
 * @throws Error when no report was written
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
