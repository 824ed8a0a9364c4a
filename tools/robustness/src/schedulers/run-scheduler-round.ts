import { setTimeout as sleep } from "node:timers/promises";
import { isAlreadyExists, isNotFound } from "@orchernetes/apimachinery";
import { poll } from "@orchernetes/testkit";
import { namespaces, pods } from "../controllers/api/resources.ts";
import { injectManagerFault, type ManagerFault } from "../controllers/managers/manager-faults.ts";
import { repeat } from "../controllers/workload/writer.ts";
import type { SchedulerCluster } from "./scheduler-cluster.ts";
import { checkSchedulers, type SchedulerHistory, waitingInVain } from "./scheduler-history.ts";

/** Time limit for the schedulers to use all room after the last change. */
const SETTLE_MS = 60_000;
/** Pods of a round: more than there is room for, so that every node is full and the next pod finds none. */
const PODS = 26;
/** Pods that are deleted while the others are being scheduled. */
const DELETIONS = 10;

/** A round of {@link runSchedulerRound}. */
export interface SchedulerRoundOptions {
  readonly cluster: SchedulerCluster;
  /** A name that is unique among the rounds with this cluster. Its pods are in a namespace of that name. */
  readonly name: string;
  readonly fault: ManagerFault;
  /** Duration of the fault in milliseconds, beyond the lease where that matters. */
  readonly faultMs: number;
  /** Returns numbers in [0, 1). */
  readonly random: () => number;
}

/** The result of a round. */
export interface SchedulerRoundResult {
  readonly findings: readonly string[];
  readonly history: SchedulerHistory;
}

const ignoreGone = (error: unknown): void => {
  if (!isNotFound(error)) throw error;
};

/** Creates pods, and deletes some that have a node, so that room is given away again and again. */
async function runPods({ cluster, name, random }: SchedulerRoundOptions): Promise<void> {
  const resource = cluster.client.resource(pods).namespace(name);
  const paceMs = 2 + random() * 80;
  const create = async (): Promise<void> => {
    for (let i = 0; i < PODS; i++) {
      const spec = { containers: [{ name: "c", image: "i", resources: { requests: { cpu: "1" } } }] };
      await repeat(`create pod p${i}`, () =>
        resource.create({ metadata: { name: `p${i}` }, spec }).catch((error: unknown) => {
          if (!isAlreadyExists(error)) throw error;
        }),
      );
      await sleep(random() * paceMs);
    }
  };
  const remove = async (): Promise<void> => {
    for (let i = 0; i < DELETIONS; i++) {
      await sleep(random() * paceMs * 4);
      const placed = cluster.pods.lister.list(name).filter(({ spec }) => spec.nodeName);
      const chosen = placed[Math.floor(random() * placed.length)];
      if (chosen === undefined) continue;
      const { name: pod, uid } = chosen.metadata;
      const options = { gracePeriodSeconds: 0, preconditions: { uid } };
      await repeat(`delete pod ${pod}`, () => resource.delete(pod, options).then(() => undefined, ignoreGone));
    }
  };
  await Promise.all([create(), remove()]);
}

/**
 * Creates and deletes pods during a fault, waits until every node is full or every pod has a node, and checks what was
 * recorded. Then it deletes the pods.
 */
export async function runSchedulerRound(options: SchedulerRoundOptions): Promise<SchedulerRoundResult> {
  const { cluster, name, fault, faultMs, random } = options;
  const { client, schedulers, server, capacities } = cluster;
  const from = cluster.events.length;
  const history = (): SchedulerHistory => ({ events: cluster.events.slice(from), capacities });
  await repeat(`create namespace ${name}`, () =>
    client
      .resource(namespaces)
      .create({ metadata: { name } })
      .catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      }),
  );
  const workload = runPods(options);
  await sleep(random() * 600);
  await Promise.all([workload, injectManagerFault(fault, schedulers, server, faultMs)]);
  // After a fault of the server its watch may be idle for seconds.
  await cluster.pods.catchUp(AbortSignal.timeout(SETTLE_MS));
  const findings = [...(await settle(history)), ...checkSchedulers(history())];
  const result = { findings, history: history() };
  const { items } = await repeat("list pods", () => client.resource(pods).namespace(name).list());
  for (const { metadata } of items)
    await repeat(`delete pod ${metadata.name}`, () =>
      client
        .resource(pods)
        .namespace(name)
        .delete(metadata.name, { gracePeriodSeconds: 0 })
        .then(() => undefined, ignoreGone),
    );
  await poll({ what: "the end of all pods", timeoutMs: SETTLE_MS }, () => cluster.pods.lister.list(name).length === 0);
  return result;
}

/** Waits until no pod waits that would find room; returns those that do. */
async function settle(history: () => SchedulerHistory): Promise<readonly string[]> {
  try {
    await poll(
      { what: "the schedulers", timeoutMs: SETTLE_MS, intervalMs: 50 },
      () => waitingInVain(history()).length === 0,
    );
    return [];
  } catch {
    return waitingInVain(history());
  }
}
