import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { core } from "@orchernetes/api";
import type { Client } from "@orchernetes/client";
import { poll, startCluster, type TestCluster } from "@orchernetes/testkit";
import { threadsTimeUs } from "../cpu-time.ts";
import { readWrites, type Writes, writesBetween } from "../node/api-writes.ts";
import { PodProgress } from "../node/pod-progress.ts";
import { startInRuntime } from "../node/runtime-starts.ts";
import { NAMESPACE, sleepingPod } from "../node/sleeping-pod.ts";
import type { Row } from "../row.ts";
import { residentMb } from "../servers/memory.ts";

/** Pods of the burst: as many as a node takes by default. */
const PODS = 110;
/** How many the runtime is asked for at a time without the agent: as many as the agent asks for on a small machine. */
const PARALLEL = 4;
const START_TIMEOUT_MS = 240_000;
/** As in the row of the whole cluster: what a start needs is released within a minute. */
const SETTLE_MS = 90_000;
const IDLE_MS = 60_000;
/** Starts before those that are measured: the first ones compile the code that they run. */
const WARM_UP = 5;

const AGENT = "orchlet-node-1";

/** A node under the hands of its agent: a burst of pods, pods one after the other, and what many pods cost that do nothing. */
export const node: Row = {
  id: "node",
  idle: true,
  unavailable: existsSync("/usr/bin/containerd") ? undefined : "containerd is not installed",
  measures: [
    { id: "node-empty", work: "node agent without pods, resident", unit: "MB", atMost: 90 },
    {
      id: "node-start",
      work: "a pod of one container, from its creation to ready, one after the other, p50",
      unit: "s",
      atMost: 0.45,
    },
    { id: "node-start-p99", work: "… p99", unit: "s", atMost: 1 },
    { id: "node-burst", work: `${PODS} pods of a node at once, until all are ready`, unit: "s", atMost: 35 },
    { id: "node-burst-p50", work: "… until half of them are", unit: "s", atMost: 17.5 },
    { id: "node-runtime", work: `… the runtime alone, asked for ${PARALLEL} pods at a time`, unit: "s" },
    { id: "node-writes", work: "… requests of the agent that write, for each pod", unit: "requests", atMost: 6 },
    { id: "node-memory", work: `node agent with ${PODS} idle pods, resident`, unit: "MB", atMost: 150 },
    { id: "node-idle", work: "… of a core", unit: "%", atMost: 1.5 },
  ],
  async run({ quick, defer, note }) {
    const cluster = await startCluster({ from: "bundle", runtime: "containerd" });
    defer(() => cluster.stop());
    const end = new AbortController();
    defer(() => end.abort());
    const client = cluster.client();
    await createNamespace(client);
    const progress = await PodProgress.follow(client, NAMESPACE, end.signal);
    const agent = cluster.pid(AGENT);
    const idleMs = quick ? 5000 : IDLE_MS;
    await sleep(quick ? 5000 : SETTLE_MS);
    const empty = residentMb(agent);
    try {
      const starts = await startOneByOne(client, progress, quick ? 10 : 100);
      const runtime = await startInRuntime({
        endpoint: cluster.nodes[0]?.endpoint ?? "",
        logs: join(cluster.dataDir, "direct-logs"),
        pods: PODS,
        parallel: PARALLEL,
      });
      const burst = await startAtOnce(client, progress);
      await sleep(quick ? 5000 : SETTLE_MS);
      const before = threadsTimeUs(agent);
      await sleep(idleMs);
      const share = (threadsTimeUs(agent) - before) / 1000 / idleMs;
      const shown = [...burst.writes].map(([what, count]) => `${what} ${count}`).join(", ");
      note(`runtime alone p50 ${quantile(runtime, 0.5).toFixed(1)} s; ${shown}`);
      return {
        "node-empty": empty,
        "node-start": quantile(starts, 0.5),
        "node-start-p99": quantile(starts, 0.99),
        "node-burst": quantile(burst.seconds, 1),
        "node-burst-p50": quantile(burst.seconds, 0.5),
        "node-runtime": quantile(runtime, 1),
        "node-writes": [...burst.writes.values()].reduce((sum, count) => sum + count, 0) / PODS,
        "node-memory": residentMb(agent),
        "node-idle": share * 100,
      };
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${logOf(cluster)}`, { cause: error });
    }
  },
};

const logOf = (cluster: TestCluster): string => cluster.log(AGENT, 5);

/** Creates the namespace; without an account no pod is admitted to it. */
async function createNamespace(client: Client): Promise<void> {
  await client.resource(core.namespaces).create({ metadata: { name: NAMESPACE } });
  const accounts = client.resource(core.serviceAccounts).namespace(NAMESPACE);
  await poll({ what: "the account of the namespace", intervalMs: 50 }, () => accounts.get("default"));
}

/** Starts pods one after the other, each when the one before is gone. @returns seconds */
async function startOneByOne(client: Client, progress: PodProgress, count: number): Promise<readonly number[]> {
  const pods = client.resource(core.pods).namespace(NAMESPACE);
  const seconds: number[] = [];
  for (let i = 0; i < count + WARM_UP; i++) {
    const name = `one-${i}`;
    const begun = performance.now();
    await pods.create(sleepingPod(name, "node-1"));
    const [readyAt = Number.NaN] = await progress.ready([name], START_TIMEOUT_MS);
    if (i >= WARM_UP) seconds.push((readyAt - begun) / 1000);
    await pods.delete(name);
    await progress.gone(START_TIMEOUT_MS);
  }
  return seconds;
}

/** Starts all pods at once. @returns seconds until each was ready, and what the agent has written for them */
async function startAtOnce(
  client: Client,
  progress: PodProgress,
): Promise<{ readonly seconds: readonly number[]; readonly writes: Writes }> {
  const pods = client.resource(core.pods).namespace(NAMESPACE);
  const names = Array.from({ length: PODS }, (_, index) => `burst-${index}`);
  const before = await readWrites(client);
  const begun = performance.now();
  await Promise.all(names.map((name) => pods.create(sleepingPod(name, "node-1"))));
  const readyAt = await progress.ready(names, START_TIMEOUT_MS);
  // Events are written in the background.
  await sleep(5000);
  const writes = new Map(writesBetween(before, await readWrites(client)));
  for (const other of NOT_OF_PODS) writes.delete(other);
  return { seconds: readyAt.map((at) => (at - begun) / 1000), writes };
}

/** What this program writes, and what the daemons write at rest and only ask for. */
const NOT_OF_PODS = ["pods", "leases", "nodes/status", "subjectaccessreviews", "tokenreviews"];

/** The value below which this share of the values is. */
function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
