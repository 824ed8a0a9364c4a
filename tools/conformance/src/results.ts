/** Whether a spec passed. */
export type Result = "passed" | "failed";

const LINE = /^\{"msg":"(PASSED|FAILED) ((?:[^"\\]|\\.)*)"/;

/**
 * Reads the result of each spec from what the suite printed. A spec that was run more than once has failed if it failed
 * the last time.
 */
export function readResults(output: string): ReadonlyMap<string, Result> {
  const results = new Map<string, Result>();
  for (const line of output.split("\n")) {
    const [, result, name] = LINE.exec(line.slice(line.indexOf('{"msg":"'))) ?? [];
    if (result !== undefined && name !== undefined)
      results.set(JSON.parse(`"${name}"`) as string, result === "PASSED" ? "passed" : "failed");
  }
  return results;
}
