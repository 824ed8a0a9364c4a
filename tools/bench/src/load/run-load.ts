import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { TestApiServer } from "@orchernetes/testkit";
import type { Target } from "./http-connection.ts";

const run = promisify(execFile);

/** Names of the load programs, which are files of this folder unless they say otherwise. */
export type LoadName =
  | "create-load"
  | "get-load"
  | "rate-load"
  | "turns-load"
  | "fan-out-load"
  | "bind-load"
  | "deployment-load"
  | "dns-load"
  | "hollow-nodes-load"
  | "../scheduler/decisions-load"
  | "../scheduler/shape-load";

/** The target of loads for this server. */
export function targetOf(server: TestApiServer): Target {
  return { host: "127.0.0.1", port: server.port, ca: readFileSync(server.caFile, "utf8"), token: server.token };
}

/**
 * Runs a load program in a process of its own.
 * @throws Error with its standard error if it fails
 */
export async function runLoad<P extends object, R>(name: LoadName, parameters: P, timeoutMs = 240_000): Promise<R> {
  const file = fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
  try {
    const { stdout } = await run(process.execPath, [file, JSON.stringify(parameters)], { timeout: timeoutMs });
    return JSON.parse(stdout) as R;
  } catch (error) {
    const { stderr = "", message } = error as { readonly stderr?: string; readonly message: string };
    throw new Error(`${name}: ${stderr.trim() || message}`, { cause: error });
  }
}
