import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "@orchernetes/kernel";
import { poll } from "../processes/poll.ts";
import type { TestApiServer } from "../servers/start-api-server.ts";
import { ApiAccess } from "./api-access.ts";
import { checkHistory } from "./check-history.ts";
import { type Fault, injectFault } from "./faults.ts";
import { type History, newestRevision, type Operation, type StoredVersion } from "./history.ts";
import { settle } from "./settle.ts";
import { recordStore } from "./store-record.ts";
import { runTraffic } from "./traffic.ts";
import { WatchClient } from "./watching.ts";

/** The server, the fault and the clients of a round. */
export interface RoundOptions {
  readonly server: TestApiServer;
  /** A name that is unique among the rounds with this server. Its objects are in a namespace of that name. */
  readonly name: string;
  readonly fault: Fault;
  /**
   * Milliseconds for which clients work before and after the fault; longer until {@link CALM_OPERATIONS} have
   * succeeded. @default 400
   */
  readonly calmMs?: number;
  /** @default 1000 */
  readonly faultMs?: number;
  /** @default 4 */
  readonly clients?: number;
  /** @default 3 */
  readonly watchers?: number;
  /** In [0, 1). @default Math.random */
  readonly random?: () => number;
}

/** The result of a round. */
export interface RoundResult {
  /** The contradictions that were found. */
  readonly findings: readonly string[];
  readonly history: History;
}

/** Few keys, so that clients compete for them and conflicts are frequent. */
const KEYS = ["a", "b", "c", "d", "e"];
/** Time limit for the recovery. */
const RECOVERY_MS = 60_000;
/**
 * Operations that must succeed before the fault, and again after it, so that a round is also meaningful on a busy
 * machine.
 */
const CALM_OPERATIONS = 15;

/**
 * Runs clients that read, write and watch during a fault, waits until everything has recovered without help, and
 * checks what they recorded. A failure to recover is a finding.
 *
 * @example
 * ```ts
 * const server = await startApiServer({ store: "etcd", networkToEtcd: true });
 * const { findings } = await runRound({ server, name: "round-1", fault: "partition" });
 * ```
 */
export async function runRound(options: RoundOptions): Promise<RoundResult> {
  const {
    server,
    name,
    fault,
    calmMs = 400,
    faultMs = 1000,
    clients = 4,
    watchers = 3,
    random = Math.random,
  } = options;
  const access = new ApiAccess(server, name);
  const namespace = { kind: "Namespace", apiVersion: "v1", metadata: { name } };
  await poll({ what: `namespace ${name}`, timeoutMs: RECOVERY_MS, intervalMs: 50 }, async () => {
    const { code } = await access.send("POST", "/api/v1/namespaces", namespace);
    return code === 201 || code === 409;
  });
  const record = server.etcd && (await recordStore(server.etcd.url, `/registry/configmaps/${name}/`));
  const traffic = new AbortController();
  const watching = new AbortController();
  const watches = Array.from({ length: watchers }, (_, i) => new WatchClient(i, access));
  const watchRuns = watches.map((watch) => watch.run(watching.signal));
  let worked = 0;
  const count = ({ outcome }: Operation): void => {
    if (outcome.type === "ok") worked++;
  };
  const runs = Array.from({ length: clients }, (_, i) => runTraffic(i, access, KEYS, random, traffic.signal, count));
  const calm = async (): Promise<void> => {
    const enough = worked + CALM_OPERATIONS;
    await sleep(calmMs);
    for (const until = performance.now() + RECOVERY_MS; worked < enough && performance.now() < until; ) await sleep(10);
  };
  const findings: string[] = [];
  const operations: Operation[] = [];
  try {
    await calm();
    await injectFault(fault, server, faultMs);
    await calm();
  } finally {
    traffic.abort();
  }
  for (const run of runs) operations.push(...(await run));
  const settled = await settle({ access, client: clients, watches, timeoutMs: RECOVERY_MS });
  operations.push(...settled.operations);
  if (settled.failure !== undefined) findings.push(`no recovery after ${fault}: ${settled.failure}`);
  watching.abort();
  await Promise.all(watchRuns);
  access.close();
  const sessions = watches.flatMap((watch) => watch.sessions);
  let stored: readonly StoredVersion[] | undefined;
  try {
    stored = await record?.finish(newestRevision({ operations, sessions }));
  } catch (error) {
    findings.push(`no record of the store after ${fault}: ${messageOf(error)}`);
  }
  const history = { operations, sessions, ...(stored && { record: stored }) };
  return { findings: [...findings, ...checkHistory(history)], history };
}
