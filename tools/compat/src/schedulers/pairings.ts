import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@orchernetes/client";
import { freePort, logTail, startApiServer, startDaemon, startGuarded } from "@orchernetes/testkit";
import { startTranslatingProxy, type Translation } from "../orchctl/translating-proxy.ts";
import { newAtOld, oldAtNew } from "./level-translation.ts";
import { type RunningServer, startReferenceServer } from "./reference-server.ts";
import { runScenario, type StepResult } from "./scenario.ts";

/** A scheduler and an API server of different levels. */
export interface Pairing {
  readonly name: string;
  /** The group version of disruption budgets at the server. */
  readonly policyVersion: "v1" | "v1beta1";
  readonly translation: Translation;
  /** @param programs folder of the reference's programs */
  readonly startServer: (programs: string) => Promise<RunningServer>;
  /** Starts the scheduler with a client configuration; its log is in the folder. */
  readonly startScheduler: (programs: string, clientConfig: string, folder: string) => Promise<RunningScheduler>;
}

interface RunningScheduler {
  log(): string;
  stop(): Promise<unknown>;
}

async function startOurServer(): Promise<RunningServer> {
  const flags = ["--disable-admission-plugins=ServiceAccount,TaintNodesByCondition"];
  const server = await startApiServer({ flags });
  const { url, token, caFile } = server;
  return { url, token, caFile, log: () => server.log(30), stop: () => server.stop() };
}

async function startOurScheduler(_: string, clientConfig: string, dir: string): Promise<RunningScheduler> {
  const port = await freePort();
  const flags = [`--orchconfig=${clientConfig}`, "--bind-address=127.0.0.1", `--secure-port=${port}`];
  const daemon = await startDaemon({ name: "orch-scheduler", flags, dir });
  return { log: () => daemon.log(30), stop: () => daemon.stop() };
}

async function startTheirScheduler(programs: string, clientConfig: string, dir: string): Promise<RunningScheduler> {
  const logFile = join(dir, "kube-scheduler.log");
  const process = await startGuarded({
    command: [
      join(programs, "kube-scheduler"),
      `--orchconfig=${clientConfig}`,
      "--port=0",
      "--bind-address=127.0.0.1",
      `--secure-port=${await freePort()}`,
      `--cert-dir=${dir}`,
      "--authentication-skip-lookup=true",
      // The proxy translates text only.
      "--orch-api-content-type=application/json",
    ],
    logFile,
  });
  return { log: () => logTail(logFile, 30), stop: () => process.end() };
}

/** What can be run: each scheduler with the other's server. */
export const pairings: readonly Pairing[] = [
  {
    name: "orch-scheduler with the reference's API server of level 1.20",
    policyVersion: "v1beta1",
    translation: newAtOld,
    startServer: (programs) => startReferenceServer(join(programs, "kube-apiserver")),
    startScheduler: startOurScheduler,
  },
  {
    name: "the reference's scheduler of level 1.20 with orch-apiserver",
    policyVersion: "v1",
    translation: oldAtNew,
    startServer: startOurServer,
    startScheduler: startTheirScheduler,
  },
];

/** Both programs of this project, without a translation: the steps are right if they pass here. */
export const ownPairing: Pairing = {
  name: "orch-scheduler with orch-apiserver",
  policyVersion: "v1",
  translation: { toServer: (text) => text, toClient: (text) => text },
  startServer: startOurServer,
  startScheduler: startOurScheduler,
};

/** A client configuration file for a server without TLS. The proxy there knows the administrator's token. */
function writeClientConfig(folder: string, server: string): string {
  const file = join(folder, "client.orchconfig");
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: { server } }],
    users: [{ name: "u", user: {} }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  };
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  return file;
}

/**
 * Starts a server, a proxy that translates between the levels, and a scheduler that uses the proxy; runs the scenario, and
 * ends them.
 *
 * @param programs folder of the reference's programs
 * @param report called with each result
 * @throws Error when one of them cannot be started
 */
export async function runPairing(
  { policyVersion, translation, startServer, startScheduler }: Pairing,
  programs: string,
  report: (result: StepResult) => void,
): Promise<{ readonly results: readonly StepResult[]; readonly logs: string }> {
  const folder = mkdtempSync(join(tmpdir(), "o8s-schedulers-"));
  const ends: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  try {
    const server = await startServer(programs);
    ends.push(() => server.stop());
    const proxy = await startTranslatingProxy(server, translation);
    ends.push(() => proxy.close());
    const scheduler = await startScheduler(programs, writeClientConfig(folder, proxy.url), folder);
    ends.push(() => scheduler.stop());
    const { url, token, caFile } = server;
    const client = createClient({ server: url, token, tls: { ca: readFileSync(caFile) } });
    ends.push(() => client.close());
    const results = await runScenario(client, policyVersion, report);
    return { results, logs: `${scheduler.log()}\n${server.log()}` };
  } finally {
    for (const end of ends.toReversed()) await end();
  }
}
