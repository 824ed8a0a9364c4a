import { setTimeout as sleep } from "node:timers/promises";
import { isAlreadyExists } from "@orchernetes/apimachinery";
import { poll } from "@orchernetes/testkit";
import { daemonSets, deployments, jobs, namespaces, replicaSets, statefulSets } from "../api/resources.ts";
import type { ControllerHistory } from "../history/history.ts";
import { replay } from "../history/replay.ts";
import { injectManagerFault, type ManagerFault } from "../managers/manager-faults.ts";
import { checkControllers } from "../rules/check-controllers.ts";
import { unsettled } from "../rules/unsettled.ts";
import { runWorkload } from "../workload/run-workload.ts";
import { repeat, Writer } from "../workload/writer.ts";
import type { ControllerCluster } from "./controller-cluster.ts";

/** Time limit for the controllers to finish after the last change, and for the removal of all pods after that. */
const SETTLE_MS = 120_000;
/** Milliseconds for which everything must stay as it should be. */
const CALM_MS = 500;

/** A round of {@link runControllerRound}. */
export interface ControllerRoundOptions {
  readonly cluster: ControllerCluster;
  /** A name that is unique among the rounds with this cluster. Its objects are in a namespace of that name. */
  readonly name: string;
  readonly fault: ManagerFault;
  /** Duration of the fault in milliseconds, beyond the lease where that matters. */
  readonly faultMs: number;
  /** Returns numbers in [0, 1). */
  readonly random: () => number;
}

/** The result of a round. */
export interface ControllerRoundResult {
  readonly findings: readonly string[];
  readonly history: ControllerHistory;
}

/**
 * Creates and changes owners of every kind during a fault, waits until the controllers have finished without help, and checks what was
 * recorded. Then it deletes the owners: nothing must be left behind. What does not finish in time is a finding.
 */
export async function runControllerRound(options: ControllerRoundOptions): Promise<ControllerRoundResult> {
  const { cluster, name, fault, faultMs, random } = options;
  const { recorder, client } = cluster;
  recorder.begin(name);
  await repeat(`create namespace ${name}`, () =>
    client
      .resource(namespaces)
      .create({ metadata: { name } })
      .catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      }),
  );
  const writer = new Writer(client, name);
  const calmMs = 300 + random() * 1500;
  const workload = runWorkload(writer, random);
  await sleep(calmMs);
  await Promise.all([workload, injectManagerFault(fault, cluster.managers, cluster.server, faultMs)]);
  const late = await settle(cluster, writer);
  const history = recorder.history();
  const findings = [...late.map((line) => `not finished after ${fault}: ${line}`), ...checkControllers(history)];
  await writer.deleteAll(deployments, replicaSets, statefulSets, daemonSets, jobs);
  findings.push(...(await leftBehind(cluster)).map((line) => `left behind after ${fault}: ${line}`));
  return { findings, history };
}

/** Waits until everything is as it should be, and stays so; returns what is not. */
async function settle({ recorder }: ControllerCluster, { written }: Writer): Promise<readonly string[]> {
  const errors = (): readonly string[] => {
    const history = recorder.history();
    // What is recorded must not be older than what was written last.
    const seen = new Map(history.events.map(({ object, revision }) => [object.uid, revision]));
    const unseen = [...written].filter(([uid, revision]) => (seen.get(uid) ?? 0) < revision);
    return [...unseen.map(([uid]) => `${uid} was not recorded`), ...unsettled(replay(history))];
  };
  try {
    await poll({ what: "the controllers", timeoutMs: SETTLE_MS, intervalMs: 100 }, async () => {
      if (errors().length > 0) return false;
      await sleep(CALM_MS);
      return errors().length === 0;
    });
    return [];
  } catch {
    return errors();
  }
}

/** Waits until no object is left; returns those that are. */
async function leftBehind({ recorder }: ControllerCluster): Promise<readonly string[]> {
  const names = (): readonly string[] =>
    replay(recorder.history())
      .all()
      .map(({ kind, name }) => `${kind} ${name}`);
  try {
    await poll({ what: "the end of all objects", timeoutMs: SETTLE_MS, intervalMs: 100 }, () => names().length === 0);
    return [];
  } catch {
    return names();
  }
}
