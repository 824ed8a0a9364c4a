import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { BEFORE, type BenchPod, MEASURED, type Shape } from "./shape.ts";

const SOURCES = "apps/orch-scheduler/src";

/** The modules of the scheduler in a checkout. @param root folder of the workspace, ending with a slash */
export async function loadScheduler(root: string) {
  const at = (file: string) => import(`${root}${SOURCES}/${file}`) as Promise<unknown>;
  return {
    ...((await at("cache/node-table.ts")) as typeof import("../../../../apps/orch-scheduler/src/cache/node-table.ts")),
    ...((await at(
      "cache/nominated-pods.ts",
    )) as typeof import("../../../../apps/orch-scheduler/src/cache/nominated-pods.ts")),
    ...((await at("cache/pod-info.ts")) as typeof import("../../../../apps/orch-scheduler/src/cache/pod-info.ts")),
    ...((await at("cache/slim-pod.ts")) as typeof import("../../../../apps/orch-scheduler/src/cache/slim-pod.ts")),
    ...((await at("framework/decide.ts")) as typeof import("../../../../apps/orch-scheduler/src/framework/decide.ts")),
    ...((await at("random-numbers.ts")) as typeof import("../../../../apps/orch-scheduler/src/random-numbers.ts")),
    ...((await at("testing/profiles.ts")) as typeof import("../../../../apps/orch-scheduler/src/testing/profiles.ts")),
    ...((await at("cache/interned.ts").catch(() => ({
      Interned: class {},
    }))) as typeof import("../../../../apps/orch-scheduler/src/cache/interned.ts")),
  };
}

type SchedulerModules = Awaited<ReturnType<typeof loadScheduler>>;
type PodInfo = ReturnType<SchedulerModules["podInfo"]>;

/** Attempts for a pod, on average. */
const MAX_ATTEMPTS = 4;

/** CPU time of this thread, which other processes of the machine hardly change. */
function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

const CREATED = "2024-01-01T00:00:00Z";

/** A pod as the API server would have stored it. */
function storedPod({ labels, spec }: BenchPod, namespace: string, name: string, nodeName: string): Stored<core.Pod> {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace,
      uid: `uid-${namespace}-${name}`,
      resourceVersion: "1",
      creationTimestamp: CREATED,
      ...(labels !== undefined && { labels }),
    },
    spec: { schedulerName: "default-scheduler", priority: 0, ...spec, ...(nodeName !== "" && { nodeName }) },
    status: { phase: "Pending", ...(nodeName !== "" && { startTime: CREATED }) },
  };
}

/** The decisions about the pods of a shape, without a server: as the scheduler makes them, on its table of nodes. */
export class Decisions {
  readonly #shape: Shape;
  readonly #modules: SchedulerModules;
  readonly #nodes: InstanceType<SchedulerModules["NodeTable"]>;
  readonly #nominated: InstanceType<SchedulerModules["NominatedPods"]>;
  readonly #profile: ReturnType<SchedulerModules["profileOf"]>;
  readonly #sharing: InstanceType<SchedulerModules["Interned"]>;
  readonly #random: () => number;
  #start = 0;
  #round = 0;

  /** Adds the nodes and the pods that were there before. */
  constructor(shape: Shape, modules: SchedulerModules) {
    this.#shape = shape;
    this.#modules = modules;
    this.#nodes = new modules.NodeTable();
    this.#nominated = new modules.NominatedPods();
    this.#sharing = new modules.Interned();
    this.#random = new modules.RandomNumbers(1).next;
    this.#profile = modules.profileOf({}, { random: this.#random });
    for (let n = 0; n < shape.nodes; n++) this.#nodes.setNode(this.#node(n));
    let placed = 0;
    for (const { count, pod, evenly = false } of shape.unschedulableBefore ? [] : (shape.before ?? []))
      for (let n = 0; n < count; n++, placed++) {
        const nodeName = evenly ? `node-${n % shape.nodes}` : "";
        const info = this.#info(pod(n), BEFORE, `before-${placed}`, nodeName);
        if (evenly) this.#nodes.addPod(nodeName, info);
        else if (this.#attempt(info) === undefined) throw new Error(`pod ${info.key} fits no node`);
      }
  }

  /** Schedules the pods once and removes them again. @returns the milliseconds of CPU time that this took without the removal */
  measure(): number {
    const { measured, before = [], churn = false, unschedulableBefore = false } = this.#shape;
    const round = this.#round++;
    const infos = Array.from({ length: measured.count }, (_, n) =>
      this.#info(measured.pod(n), MEASURED, `pod-${round}-${n}`, ""),
    );
    const [waiting] = unschedulableBefore ? before : [];
    const stuck = Array.from({ length: waiting?.count ?? 0 }, (_, n) =>
      this.#info(waiting?.pod(n) ?? measured.pod(n), BEFORE, `stuck-${n}`, ""),
    );
    const bound: (readonly [string, PodInfo])[] = [];
    const evicted: (readonly [string, PodInfo])[] = [];
    const queue = [...infos];
    const startedMs = threadCpuMs();
    for (let i = 0; i < queue.length; i++) {
      const info = queue[i] as PodInfo;
      if (i % 10 === 0 && stuck.length > 0) this.#attempt(stuck[(i / 10) % stuck.length] as PodInfo, evicted);
      if (churn && i % 250 === 0) this.#churn(i);
      const node = this.#attempt(info, evicted);
      if (node !== undefined) bound.push([node, info]);
      // The victims have left; a pod that is to be spread may need a second preemption.
      else if (queue.length < MAX_ATTEMPTS * infos.length) queue.push(info);
    }
    const ms = threadCpuMs() - startedMs;
    if (bound.length < infos.length) throw new Error(`${bound.length} of ${infos.length} pods found a node`);
    for (const [node, { key }] of bound) this.#nodes.removePod(node, key);
    for (const [node, info] of evicted) this.#nodes.addPod(node, info);
    return ms;
  }

  /** A node appears, and disappears with the next call. */
  #churn(turn: number): void {
    const node = this.#node(this.#shape.nodes);
    if (turn % 500 === 0) this.#nodes.setNode(node);
    else this.#nodes.removeNode(node.metadata.name ?? "");
  }

  /** Decides about a pod and carries that out in the table. @returns the name of its node; undefined if it fits none yet */
  #attempt(info: PodInfo, evicted: (readonly [string, PodInfo])[] = []): string | undefined {
    const nodes = this.#nodes;
    const nominations = this.#nominated;
    const decision = this.#modules.decide(info, nodes, this.#profile, {
      start: this.#start,
      random: this.#random,
      nominatedNode: nominations.nodeOf(info.key),
      nominations,
    });
    if (decision.type === "node") {
      this.#start = decision.next;
      nominations.delete(info.key);
      const name = nodes.nameOf(decision.slot);
      nodes.addPod(name, info);
      return name;
    }
    for (const { result } of decision.postFilters)
      if (result.type === "nominate") {
        nominations.set(info, result.node);
        for (const victim of result.victims) {
          nodes.removePod(result.node, victim.key);
          evicted.push([result.node, victim]);
        }
      }
    return undefined;
  }

  #node(n: number): Stored<core.Node> {
    const { labels, allocatable } = this.#shape.node(n);
    const name = `node-${n}`;
    return {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name, uid: `uid-${name}`, resourceVersion: "1", creationTimestamp: CREATED, labels },
      spec: {},
      status: { capacity: allocatable, allocatable },
    } as Stored<core.Node>;
  }

  #info(pod: BenchPod, namespace: string, name: string, nodeName: string): PodInfo {
    const { podInfo, slimPod } = this.#modules;
    return podInfo(slimPod(storedPod(pod, namespace, name, nodeName), this.#sharing));
  }
}
