import type { core } from "@orchernetes/api";
import { type ApiObject, keyOf, type Stored } from "@orchernetes/apimachinery";
import { createClient, type Lister } from "@orchernetes/client";
import { features } from "@orchernetes/component";
import { parseConfig } from "@orchernetes/config";
import { silentLogger, systemClock } from "@orchernetes/kernel";
import { NodeTable } from "../cache/node-table.ts";
import { NominatedPods } from "../cache/nominated-pods.ts";
import { podInfo } from "../cache/pod-info.ts";
import { namespacesOf } from "../cluster-state.ts";
import { schedulerConfigurationSchema } from "../config/scheduler-configuration.ts";
import { createProfile } from "../create-profile.ts";
import type { DecisionState } from "../explain/explain-decision.ts";
import type { Profile } from "../framework/profile.ts";
import { WaitingPods } from "../framework/waiting-pods.ts";
import type { ClusterState, PluginHandle } from "../plugin-handle.ts";
import { RandomNumbers } from "../random-numbers.ts";
import type { Snapshot, SnapshotQueueEntry } from "../snapshot/snapshot.ts";
import { fixedVolumes } from "../volumes/fixed-volumes.ts";
import { selectorsBy } from "../workload-selectors.ts";

/** The state of a scheduler, as it was when the snapshot was taken. */
export interface RestoredState extends DecisionState {
  readonly nominations: NominatedPods;
  /** By `spec.schedulerName`. */
  readonly profiles: ReadonlyMap<string, Profile>;
  /** Pods without a node, by key. */
  readonly pending: ReadonlyMap<string, Stored<core.Pod>>;
  /** Pods on nodes, with their nodes, by key. */
  readonly placed: ReadonlyMap<string, { readonly node: string; readonly pod: Stored<core.Pod> }>;
  /** Keys of placed pods whose binding was not observed. */
  readonly assumed: ReadonlySet<string>;
  /** By key of the pod. */
  readonly queue: ReadonlyMap<string, SnapshotQueueEntry>;
}

/** Rebuilds the state. @throws Error if an object of the snapshot is not valid */
export function restoreSnapshot(snapshot: Snapshot): RestoredState {
  const random = new RandomNumbers(snapshot.seed);
  const nominations = new NominatedPods();
  for (const { node, pod } of snapshot.nominated) nominations.set(podInfo(pod), node);
  return {
    nodes: tableOf(snapshot),
    nominations,
    start: snapshot.start,
    random,
    profiles: profilesOf(snapshot, random),
    pending: new Map(snapshot.pending.map((pod) => [keyOf(pod), pod])),
    placed: new Map(snapshot.placed.map((one) => [keyOf(one.pod), one])),
    assumed: new Set(snapshot.assumed),
    queue: new Map(snapshot.queue.map((entry) => [entry.pod, entry])),
  };
}

/** Nodes get the slots that they had, because the slots decide in which order nodes are examined. */
function tableOf({ nodes, freeSlots, placed }: Snapshot): NodeTable {
  const table = new NodeTable();
  const nameOfFree = (slot: number): string => `free slot ${slot}`;
  for (const [slot, node] of nodes.entries()) table.setNode(node ?? emptyNode(nameOfFree(slot)));
  for (const slot of freeSlots) table.removeNode(nameOfFree(slot));
  for (const { node, pod } of placed) table.addPod(node, podInfo(pod));
  return table;
}

const emptyNode = (name: string): core.Node => ({ metadata: { name }, spec: {}, status: {} }) as core.Node;

function profilesOf(snapshot: Snapshot, random: RandomNumbers): ReadonlyMap<string, Profile> {
  const head = { apiVersion: "orchscheduler.config.o8s.io/v1", kind: "OrchSchedulerConfiguration" };
  const config = parseConfig({ ...head, ...snapshot.configuration }, schedulerConfigurationSchema, "snapshot");
  const handle = offlineHandle(clusterStateOf(snapshot, random));
  return new Map(
    config.profiles.map((profile) => [
      profile.schedulerName,
      createProfile(profile, config.percentageOfNodesToScore, handle),
    ]),
  );
}

/** What plugins get without a cluster: nothing is requested, as no decision is carried out. */
const offlineHandle = (cluster: ClusterState): PluginHandle => ({
  cluster,
  client: createClient({ server: "https://127.0.0.1:1" }),
  waitingPods: new WaitingPods(systemClock),
  isEnabled: (feature) => features[feature].default,
  logger: silentLogger,
  clock: systemClock,
});

function clusterStateOf(snapshot: Snapshot, random: RandomNumbers): ClusterState {
  const budgets = Map.groupBy(snapshot.budgets, ({ metadata }) => metadata.namespace ?? "");
  return {
    namespaces: namespacesOf(listerOf(snapshot.namespaces)),
    volumes: fixedVolumes(snapshot),
    reserveVolumes: () => undefined,
    budgets: (namespace) => budgets.get(namespace) ?? [],
    selectorOf: selectorsBy({
      services: { lister: listerOf(snapshot.services) },
      controllers: { lister: listerOf(snapshot.replicationControllers) },
      replicaSets: { lister: listerOf(snapshot.replicaSets) },
      statefulSets: { lister: listerOf(snapshot.statefulSets) },
    }),
    random: random.next,
  };
}

/** Reads objects that do not change. */
function listerOf<T extends ApiObject>(objects: readonly Stored<T>[]): Pick<Lister<T>, "get" | "list"> {
  const byKey = new Map(objects.map((object) => [keyOf(object), object]));
  const byNamespace = Map.groupBy(objects, ({ metadata }) => metadata.namespace ?? "");
  return {
    get: (namespace, name) => byKey.get(namespace === "" ? name : `${namespace}/${name}`),
    list: (namespace) => (namespace === undefined ? objects : (byNamespace.get(namespace) ?? [])),
  };
}
