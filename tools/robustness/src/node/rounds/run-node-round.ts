import { setTimeout as sleep } from "node:timers/promises";
import { core } from "@orchernetes/api";
import { isNotFound } from "@orchernetes/apimachinery";
import { poll } from "@orchernetes/testkit";
import { type Dice, diceOf } from "../../controllers/workload/dice.ts";
import { differences } from "../host/host-state.ts";
import { readHostState } from "../host/read-host-state.ts";
import { churnPod, podKinds } from "../workload/churn-pod.ts";
import { isFulfilled } from "./fulfilled-pods.ts";
import { FIRST_PORT, NAMESPACE, NODE, type NodeCluster } from "./node-cluster.ts";
import { injectNodeFault, killsRuntime, type NodeFault } from "./node-faults.ts";

/** Pods of a round. */
export const PODS = 20;
/** Time limit for all pods to be as they should be after the last change, and for their removal. */
const SETTLE_MS = 180_000;
/** Time limit for what nobody knows any more: it is looked for once a minute. */
const COLLECT_MS = 150_000;
/** Longest pause between two steps of the workload. */
const PAUSE_MS = 400;

/** A round of {@link runNodeRound}. */
export interface NodeRoundOptions {
  readonly node: NodeCluster;
  /** A name that is unique among the rounds with this cluster, with which the names of its pods begin. */
  readonly name: string;
  readonly fault: NodeFault;
  /** For how long what was killed stays away, in milliseconds. */
  readonly faultMs: number;
  /** Returns numbers in [0, 1). */
  readonly random: () => number;
}

/**
 * Creates and deletes pods while the agent or the runtime is killed, twice; waits until each pod that was not deleted is ready, and deletes
 * them. Then the host must have what it had before.
 *
 * @returns what is not as it should be
 */
export async function runNodeRound(options: NodeRoundOptions): Promise<readonly string[]> {
  const { node, name, fault, faultMs, random } = options;
  const faultDice = diceOf(random);
  const pauses = [faultDice.int(0, 3000), faultDice.int(0, 3000)];
  const churn = new Churn(node, name, diceOf(random));
  const disturb = async (): Promise<void> => {
    for (const pauseMs of pauses) {
      await sleep(pauseMs);
      await injectNodeFault(fault, node.cluster, faultMs);
    }
  };
  await Promise.all([churn.run(), disturb()]);
  const findings = [...(await unfulfilled(options))];
  await churn.deleteAll();
  findings.push(...(await stillThere(options)), ...(await leftOnHost(node)));
  findings.push(...node.containers.takeFindings(), ...node.doubles.takeSeen());
  return findings;
}

/** Creates the pods of a round and deletes some of them at any time of their lives. */
class Churn {
  readonly #node: NodeCluster;
  readonly #name: string;
  readonly #dice: Dice;
  readonly #left = new Set<string>();

  constructor(node: NodeCluster, name: string, dice: Dice) {
    this.#node = node;
    this.#name = name;
    this.#dice = dice;
  }

  async run(): Promise<void> {
    const pods = this.#node.client.resource(core.pods).namespace(NAMESPACE);
    for (let i = 0; i < PODS; i++) {
      const pod = `${this.#name}-${i}`;
      const kind = this.#dice.pick(podKinds);
      await pods.create(churnPod(pod, kind, NODE, FIRST_PORT + podKinds.length + i));
      this.#left.add(pod);
      await sleep(this.#dice.int(0, PAUSE_MS));
      if (this.#dice.chance(0.5)) await this.#deleteOne(this.#dice.chance(0.3));
    }
  }

  async deleteAll(): Promise<void> {
    while (this.#left.size > 0) await this.#deleteOne(false);
  }

  /** @param force whether the server forgets the pod at once, also if the agent is away */
  async #deleteOne(force: boolean): Promise<void> {
    const names = [...this.#left];
    const name = names[this.#dice.int(0, names.length - 1)];
    if (name === undefined) return;
    this.#left.delete(name);
    const pods = this.#node.client.resource(core.pods).namespace(NAMESPACE);
    await pods.delete(name, force ? { gracePeriodSeconds: 0 } : {}).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }
}

const podsOf = ({ node: { pods }, name }: NodeRoundOptions) =>
  pods.lister.list(NAMESPACE).filter(({ metadata }) => metadata.name.startsWith(`${name}-`));

/** Waits until every pod that is not being deleted is ready or has ended as it should; returns those that are not. */
async function unfulfilled(options: NodeRoundOptions): Promise<readonly string[]> {
  await options.node.pods.catchUp(AbortSignal.timeout(SETTLE_MS));
  const runtimeWasKilled = killsRuntime(options.fault);
  const waiting = () =>
    podsOf(options).filter((pod) => !pod.metadata.deletionTimestamp && !isFulfilled(pod, runtimeWasKilled));
  return settle("the pods", SETTLE_MS, () =>
    waiting().map(({ metadata, status }) => `pod ${metadata.name} is lost: its status is ${JSON.stringify(status)}`),
  );
}

/** Waits until the server has no pod of the round; returns those that are left. */
const stillThere = (options: NodeRoundOptions): Promise<readonly string[]> =>
  settle("the end of the pods", SETTLE_MS, () =>
    podsOf(options).map(({ metadata }) => `pod ${metadata.name} (${metadata.uid}) does not end`),
  );

/** Waits until the host has what it had before; returns the differences. */
async function leftOnHost(node: NodeCluster): Promise<readonly string[]> {
  let last = node.baseline;
  const findings = await settle("the host", COLLECT_MS, async () => {
    last = await readHostState(node.places);
    return differences(node.baseline, last);
  });
  // The next round does not report it again.
  node.baseline = last;
  return findings;
}

/** Waits until nothing is found; returns what is found at the time limit. */
async function settle(
  what: string,
  timeoutMs: number,
  look: () => readonly string[] | Promise<readonly string[]>,
): Promise<readonly string[]> {
  try {
    await poll({ what, timeoutMs, intervalMs: 500 }, async () => (await look()).length === 0);
    return [];
  } catch {
    return look();
  }
}
