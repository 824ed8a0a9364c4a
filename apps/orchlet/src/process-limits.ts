import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import type { OrchletConfiguration } from "@orchernetes/config";
import { type Logger, messageOf } from "@orchernetes/kernel";

const run = promisify(execFile);

/**
 * Sets how early the kernel ends a process when memory is short, and how many files it may open. Node has no call for the second:
 * program prlimit of util-linux sets it. What fails is logged, because nothing depends on it; without privileges both may fail.
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
  // With 0 the agent could open nothing at all.
  if (maxOpenFiles > 0)
    await attempt("set rlimit on max file handles", () =>
      run("prlimit", [`--pid=${pid}`, `--nofile=${maxOpenFiles}:${maxOpenFiles}`]),
    );
}
