import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { GetLoad, GetOutcome } from "./get-load.ts";
import type { Target } from "./http-connection.ts";
import { runLoad } from "./run-load.ts";

const run = promisify(execFile);

/** How {@link getRate} asks. */
export interface GetRateOptions {
  readonly target: Target;
  readonly path: string;
  readonly connections: number;
  readonly seconds: number;
}

/** GET requests answered per second, and the program that asked: wrk where it is installed, else this project's own. */
export async function getRate(options: GetRateOptions): Promise<{ readonly perSecond: number; readonly by: string }> {
  const { target, path, connections, seconds } = options;
  try {
    const args = ["-t1", `-c${connections}`, `-d${seconds}s`, "-H", `Authorization: Bearer ${target.token}`];
    const { stdout } = await run("wrk", [...args, `https://${target.host}:${target.port}${path}`]);
    const bad = /Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1];
    if (bad !== undefined) throw new Error(`GET ${path}: ${bad} answers were not 200`);
    return { perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]), by: "wrk" };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    const outcome = await runLoad<GetLoad, GetOutcome>("get-load", options);
    return { perSecond: outcome.answers / outcome.seconds, by: "Node" };
  }
}
