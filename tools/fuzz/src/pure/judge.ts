import type { FuzzCase, PureTarget } from "../target.ts";
import { pollution, shortened } from "./attempt.ts";

/**
 * CPU time that one case may take. Inputs are small, so a case near this limit means that the work grows faster than
 * the input.
 */
const MAX_CPU_MS = 3000;

/**
 * Checks one case. Returns a finding of the target, an exception, a polluted prototype or too much CPU time.
 *
 * Measures CPU time of the thread, not time on the clock: other processes on the machine do not change it.
 *
 * @param maxCpuMs - milliseconds of CPU above which the case is slow; tests that run on unknown machines pass more
 *   than the default
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
