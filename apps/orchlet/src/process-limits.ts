import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import type { OrchletConfiguration } from "@orchernetes/config";
import { type Logger, messageOf } from "@orchernetes/kernel";

const run = promisify(execFile);

/**
 * Sets the OOM score adjustment of a process and its limit of open files. Node.js has no call for the second, so the program
 * prlimit of util-linux sets it. Failures are logged, because nothing depends on these settings; without privileges both may fail.
 *
 * @param pid @default this process
 */
export async function applyProcessLimits(
  { oomScoreAdj, maxOpenFiles }: Pick<OrchletConfiguration, "oomScoreAdj" | "maxOpenFiles">,
  logger: Logger,
  pid: number = process.pid,
): Promise<void> {
  const attempt = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      logger.warn(`Failed to ${what}`, { error: messageOf(error).trim() });
    }
  };
  await attempt("apply oomScoreAdj", () => writeFile(`/proc/${pid}/oom_score_adj`, String(oomScoreAdj)));
  // 0 leaves the limit unchanged: with a limit of 0 the agent could not open anything.
  if (maxOpenFiles > 0)
    await attempt("set rlimit on max file handles", () =>
      run("prlimit", [`--pid=${pid}`, `--nofile=${maxOpenFiles}:${maxOpenFiles}`]),
    );
}
