import type { RateLoad, RateOutcome } from "./rate-load.ts";
import { runLoad } from "./run-load.ts";
import { runWrk, wrkInstalled } from "./wrk.ts";

/**
 * Measures the requests that a server answers per second, by wrk if it is installed, otherwise by a program of this project.
 * @throws Error if a request failed: the rate of error responses is meaningless
 */
export async function measureRate(load: RateLoad): Promise<{ readonly perSecond: number; readonly by: string }> {
  const wrk = wrkInstalled();
  const { answers, seconds, failed } = wrk
    ? await runWrk(load)
    : await runLoad<RateLoad, RateOutcome>("rate-load", load);
  if (failed > 0) {
    const request = load.templates[0]?.[0]?.split(" HTTP/")[0] ?? "";
    throw new Error(`${request}: ${failed} of ${answers} requests failed, a status of 200 or 201 is expected`);
  }
  return { perSecond: answers / seconds, by: wrk ? "wrk" : "Node" };
}
