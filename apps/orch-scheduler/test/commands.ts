import { join } from "node:path";
import { freePort, type RunningDaemon, type TestApiServer } from "@orchernetes/testkit";
import { runCommand } from "../src/commands/run-command.ts";
import { startScheduler } from "./fixture.ts";

/** Runs a command of orch-scheduler in this process. */
export async function run(...args: string[]): Promise<{ code: number; out: string; errors: string }> {
  let [out, errors] = ["", ""];
  const code = await runCommand(args, {
    print: (text) => {
      out += text;
    },
    say: (text) => {
      errors += text;
    },
  });
  return { code, out, errors };
}

/** A scheduler that can be asked. */
export interface AskedScheduler {
  readonly daemon: RunningDaemon;
  /** `https://127.0.0.1:PORT` */
  readonly url: string;
  /** The options of commands that ask it, as the administrator. */
  readonly connection: readonly string[];
}

/** Starts a scheduler that serves explanations and snapshots to those whom the server authorizes. */
export async function startAskedScheduler(
  server: TestApiServer,
  flags: readonly string[] = [],
): Promise<AskedScheduler> {
  const port = await freePort();
  const daemon = await startScheduler(server, server.dir, [
    `--secure-port=${port}`,
    `--cert-dir=${server.dir}`,
    `--authentication-orchconfig=${server.clientConfig}`,
    `--authorization-orchconfig=${server.clientConfig}`,
    ...flags,
  ]);
  const url = `https://127.0.0.1:${port}`;
  const authority = `--certificate-authority=${join(server.dir, "orch-scheduler.crt")}`;
  return { daemon, url, connection: [`--server=${url}`, `--orchconfig=${server.clientConfig}`, authority] };
}
