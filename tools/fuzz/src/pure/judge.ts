import type { FuzzCase, PureTarget } from "../target.ts";
import { pollution, shortened } from "./attempt.ts";

/** CPU time that one case may take. Inputs are small; anything near this grows faster than its input. */
const MAX_CPU_MS = 3000;

/**
 * Checks one case: what the target says, what it threw, polluted prototypes, and time.
 *
 * @param maxCpuMs milliseconds of CPU from which on the case is slow; more than the default for machines that are not known
 */
export function judge(target: PureTarget, input: FuzzCase, maxCpuMs = MAX_CPU_MS): string | undefined {
  const before = process.threadCpuUsage();
  let found: string | undefined;
  try {
    found = target.check(input);
  } catch (error) {
    found = `threw ${error instanceof Error ? shortened(error.stack ?? error.message, 600) : String(error)}`;
  }
  const { user, system } = process.threadCpuUsage(before);
  const cpuMs = (user + system) / 1000;
  return pollution() ?? found ?? (cpuMs > maxCpuMs ? `slow: took ${Math.round(cpuMs)} ms` : undefined);
}
