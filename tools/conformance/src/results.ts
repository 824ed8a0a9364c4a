import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Whether a spec passed. */
export type Result = "passed" | "failed";

const LINE = /^\{"msg":"(PASSED|FAILED) ((?:[^"\\]|\\.)*)"/;

/**
 * Reads the result of each spec from the suite's output. A spec that was run more than once has failed if it failed
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

/** The last result of each spec in the files of a folder, in order of their names; empty if the folder does not exist. */
export async function readResultsIn(folder: string): Promise<ReadonlyMap<string, Result>> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  const results = new Map<string, Result>();
  for (const name of names.filter((each) => each.endsWith(".txt")).sort())
    for (const [spec, result] of readResults(await readFile(join(folder, name), "utf8"))) results.set(spec, result);
  return results;
}
