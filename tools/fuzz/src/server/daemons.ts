import { readFileSync } from "node:fs";
import { freePort, poll, type RunningDaemon, startDaemon, type TestApiServer } from "@orchernetes/testkit";
import { jsonText } from "../generate/json-text.ts";
import { anyJson } from "../generate/json-value.ts";
import { mutatedBytes } from "../generate/mutate-bytes.ts";
import { queryText } from "../generate/target-text.ts";
import type { Random } from "../random.ts";
import type { Target } from "../target.ts";
import { acceptHeader, hostileHeaders } from "./header-lines.ts";
import { requestCheck } from "./http-targets.ts";
import type { RequestCase } from "./request-case.ts";

/** Daemons whose HTTP endpoints are fuzzed, by target. */
const daemonNames = {
  "scheduler-http": "orch-scheduler",
  "controller-manager-http": "orch-controller-manager",
} as const;

type DaemonTargetName = keyof typeof daemonNames;

/** Names of the targets that are daemons other than the API server. */
export const daemonTargetNames = Object.keys(daemonNames) as readonly DaemonTargetName[];

/** A running daemon and the target for its endpoints. */
export interface FuzzedDaemon {
  readonly name: string;
  readonly process: RunningDaemon;
  readonly target: Target<RequestCase>;
}

const READY_TIMEOUT_MS = 120_000;

const pages = [
  "/",
  "/healthz",
  "/healthz/ping",
  "/livez?verbose",
  "/readyz?exclude=ping",
  "/metrics",
  "/metrics/slis",
  "/configz",
  "/debug/pprof/",
  "/debug/flags/v",
  "/statusz",
  "/api/v1/pods",
];

function request(random: Random): RequestCase {
  let target: string = random.pick(pages);
  if (random.chance(0.3)) target += `${target.includes("?") ? "&" : "?"}${queryText(random)}`;
  if (random.chance(0.3)) target = `/${mutatedBytes(random, target, 2)}`;
  const method = random.pick(["GET", "GET", "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]);
  return {
    method,
    target: /^[\x21-\x7e]+$/.test(target) ? target : "/",
    headers: random.chance(0.5) ? hostileHeaders(random) : acceptHeader(random),
    body: random.chance(0.2) ? jsonText(random, anyJson(random)) : "",
  };
}

/**
 * Starts the daemons of these targets against an API server, and waits until they respond.
 * @throws Error when one does not within two minutes
 */
export async function startDaemons(
  server: TestApiServer,
  targets: readonly string[],
): Promise<readonly FuzzedDaemon[]> {
  const chosen = daemonTargetNames.filter((name) => targets.includes(name));
  return await Promise.all(chosen.map((name) => start(server, name)));
}

async function start(server: TestApiServer, targetName: DaemonTargetName): Promise<FuzzedDaemon> {
  const name = daemonNames[targetName];
  const port = await freePort();
  const config = server.clientConfig;
  const flags = [
    `--orchconfig=${config}`,
    `--authentication-orchconfig=${config}`,
    `--authorization-orchconfig=${config}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    // The certificate is for 127.0.0.1, so every server there can use it.
    `--tls-cert-file=${server.caFile}`,
    `--tls-private-key-file=${server.caFile.replace(/crt$/, "key")}`,
    "--leader-elect=false",
  ];
  const process = await startDaemon({ name, flags, dir: server.dir });
  const { token, caFile } = server;
  const check = requestCheck({ endpoint: { port, ca: readFileSync(caFile) }, token, continueTokens: [] });
  const ready = { method: "GET", target: "/healthz", headers: [], body: "" };
  await poll(
    { what: `${name} to answer`, timeoutMs: READY_TIMEOUT_MS },
    async () => (await check(ready)) === undefined,
  );
  return { name, process, target: { name: targetName, generate: request, check } };
}
