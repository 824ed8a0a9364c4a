import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@orchernetes/client";
import {
  freePort,
  newAtOld,
  oldAtNew,
  sameLevel,
  startApiServer,
  startDaemon,
  startReferenceScheduler,
  startTranslatingProxy,
  type Translation,
  writeOpenClientConfig,
} from "@orchernetes/testkit";
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
  const scheduler = await startReferenceScheduler({ program: join(programs, "kube-scheduler"), clientConfig, dir });
  return { log: () => scheduler.log(30), stop: () => scheduler.stop() };
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
  translation: sameLevel,
  startServer: startOurServer,
  startScheduler: startOurScheduler,
};

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
    const { url, token, caFile } = server;
    const administrator = { server: url, token, tls: { ca: readFileSync(caFile) } };
    const proxy = await startTranslatingProxy(administrator, translation);
    ends.push(() => proxy.close());
    const config = writeOpenClientConfig(join(folder, "client.orchconfig"), proxy.url);
    const scheduler = await startScheduler(programs, config, folder);
    ends.push(() => scheduler.stop());
    const client = createClient(administrator);
    ends.push(() => client.close());
    const results = await runScenario(client, policyVersion, report);
    return { results, logs: `${scheduler.log()}\n${server.log()}` };
  } finally {
    for (const end of ends.toReversed()) await end();
  }
}
