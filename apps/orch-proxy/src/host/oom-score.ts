import { writeFile } from "node:fs/promises";
import { type Logger, messageOf } from "@orchernetes/kernel";

/** Sets how early the kernel ends this process when memory is short; a failure is logged, because nothing depends on it. */
export async function adjustOomScore(score: number, logger: Logger): Promise<void> {
  try {
    await writeFile("/proc/self/oom_score_adj", String(score));
  } catch (error) {
    logger.v(2)?.info("Unable to adjust the OOM score", { score, error: messageOf(error) });
  }
}
