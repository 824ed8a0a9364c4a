import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { RateLoad, RateOutcome } from "./rate-load.ts";
import { type RequestTemplate, SERIAL_DIGITS } from "./request-template.ts";

const run = promisify(execFile);
const THREADS = 2;

/** Whether the program wrk (Debian package wrk) can be started. */
export function wrkInstalled(): boolean {
  // It prints its version and exits with 1.
  return spawnSync("wrk", ["--version"]).error === undefined;
}

const quote = (text: string): string =>
  `"${text.replace(/["\\\r\n]/g, (char) => `\\${String(char.charCodeAt(0)).padStart(3, "0")}`)}"`;

/**
 * The Lua script that makes wrk send these requests. Numbers are distinct over its threads: the first two digits name the
 * thread. At the end it prints one line of JSON.
 */
export function luaScript(templates: readonly RequestTemplate[]): string {
  const rows = templates.map((pieces) => `{${pieces.map(quote).join(", ")}}`);
  return `local templates = {${rows.join(",\n")}}
local threads = 0
function setup(thread)
  threads = threads + 1
  thread:set("id", threads)
end
local n = 0
function request()
  n = n + 1
  local template = templates[n % ${templates.length} + 1]
  if template[2] == nil then return template[1] end
  return table.concat(template, string.format("%02d%0${SERIAL_DIGITS - 2}d", id, n))
end
function done(summary)
  local e = summary.errors
  print(string.format('{"answers":%d,"seconds":%f,"failed":%d}', summary.requests, summary.duration / 1e6,
    e.status + e.connect + e.read + e.write + e.timeout))
end
`;
}

/** Runs a load by wrk, which counts statuses of at least 400 and broken connections as failed. */
export async function runWrk({ target, templates, connections, seconds }: RateLoad): Promise<RateOutcome> {
  const dir = await mkdtemp(join(tmpdir(), "o8s-wrk-"));
  try {
    const script = join(dir, "load.lua");
    // It contains the server's token.
    await writeFile(script, luaScript(templates), { mode: 0o600 });
    const threads = Math.min(THREADS, connections);
    const args = [`-t${threads}`, `-c${connections}`, `-d${seconds}s`, "--timeout", "10s", "-s", script];
    const { stdout } = await run("wrk", [...args, `https://${target.host}:${target.port}/`]);
    const line = stdout.split("\n").find((text) => text.startsWith('{"answers"'));
    if (line === undefined) throw new Error(`wrk printed no summary but ${JSON.stringify(stdout.slice(-300))}`);
    return JSON.parse(line) as RateOutcome;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** Requests without TLS and without a token. */
export interface PlainLoad {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  /** Whether each request has a connection of its own. */
  readonly newConnections: boolean;
  /** The command that runs one where wrk is to run. */
  inside(command: readonly string[]): readonly string[];
}

/**
 * Requests per second by wrk.
 *
 * @throws Error if a request failed
 */
export async function plainRate({ url, connections, seconds, newConnections, inside }: PlainLoad): Promise<number> {
  const header = newConnections ? ["-H", "Connection: close"] : [];
  const options = [`-t${Math.min(THREADS, connections)}`, `-c${connections}`, `-d${seconds}s`, "--timeout", "10s"];
  const [program = "", ...args] = inside(["wrk", ...options, ...header, url]);
  const { stdout } = await run(program, args);
  const rate = Number(/^Requests\/sec: +([\d.]+)$/m.exec(stdout)?.[1]);
  const problem = /^ +(Socket errors:.*|Non-2xx.*)$/m.exec(stdout)?.[1];
  if (problem !== undefined || !(rate > 0)) throw new Error(`${url}: ${problem ?? JSON.stringify(stdout.slice(-300))}`);
  return rate;
}
