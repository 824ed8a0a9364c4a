import type { core } from "@orchernetes/api";
import { type ApiObject, keyOf, type Stored } from "@orchernetes/apimachinery";
import { createClient, type Lister } from "@orchernetes/client";
import { features } from "@orchernetes/component";
import { parseConfig } from "@orchernetes/config";
import { silentLogger, systemClock } from "@orchernetes/kernel";
import { NodeTable } from "../cache/node-table.ts";
import { NominatedPods } from "../cache/nominated-pods.ts";
import { podInfo } from "../cache/pod-info.ts";
import { namespacesOf } from "../cluster/cluster-state.ts";
import { selectorsBy } from "../cluster/workload-selectors.ts";
import { type SchedulerConfiguration, schedulerConfigurationSchema } from "../config/scheduler-configuration.ts";
import { API_VERSIONS } from "../config/versions.ts";
import type { DecisionState } from "../explain/explain-decision.ts";
import type { ExtenderAttempt } from "../extender/exchange.ts";
import { ignoredResources } from "../extender/ignored-resources.ts";
import type { Profile } from "../framework/profile.ts";
import { WaitingPods } from "../framework/waiting-pods.ts";
import type { UserPlugin } from "../plugin-definition.ts";
import { silentEventRecorder } from "../plugin-events.ts";
import type { ClusterState, PluginHandle } from "../plugin-handle.ts";
import { createProfile } from "../profile/create-profile.ts";
import { RandomNumbers } from "../random-numbers.ts";
import type { Snapshot, SnapshotExtender, SnapshotQueueEntry } from "../snapshot/snapshot.ts";
import { fixedVolumes } from "../volumes/fixed-volumes.ts";

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
  readonly extenders: readonly SnapshotExtender[];
  /** What extenders answered, by key of the pod. */
  readonly attempts: ReadonlyMap<string, ExtenderAttempt>;
}

/** Plugins of users, by `schedulerName` of the profile. */
type UserPlugins = ReadonlyMap<string, readonly UserPlugin[]>;

/**
 * Rebuilds the state.
 *
 * @param userPlugins @default none; what profiles select of others is left out
 * @throws Error if an object of the snapshot is not valid
 */
export function restoreSnapshot(snapshot: Snapshot, userPlugins: UserPlugins = new Map()): RestoredState {
  const random = new RandomNumbers(snapshot.seed);
  const nominations = new NominatedPods();
  for (const { node, pod } of snapshot.nominated) nominations.set(podInfo(pod), node);
  return {
    nodes: tableOf(snapshot),
    nominations,
    start: snapshot.start,
    random,
    // Nothing happens here.
    revision: () => 0,
    profiles: profilesOf(snapshot, random, userPlugins),
    pending: new Map(snapshot.pending.map((pod) => [keyOf(pod), pod])),
    placed: new Map(snapshot.placed.map((one) => [keyOf(one.pod), one])),
    assumed: new Set(snapshot.assumed),
    queue: new Map(snapshot.queue.map((entry) => [entry.pod, entry])),
    extenders: snapshot.extenders,
    attempts: new Map(snapshot.attempts.map((attempt) => [attempt.pod, attempt])),
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

/** The configuration of a snapshot, checked as a file of `--config`. @throws Error if it is not valid */
export function configurationOf({ configuration }: Snapshot): SchedulerConfiguration {
  // The profiles may be those of a file of either version, and v1 does not allow everything that v1beta3 allows.
  const head = { apiVersion: API_VERSIONS[1], kind: "OrchSchedulerConfiguration" };
  const { profiles, percentageOfNodesToScore } = configuration;
  return parseConfig({ ...head, profiles, percentageOfNodesToScore }, schedulerConfigurationSchema, "snapshot");
}

function profilesOf(snapshot: Snapshot, random: RandomNumbers, userPlugins: UserPlugins): ReadonlyMap<string, Profile> {
  const config = configurationOf(snapshot);
  const handle = offlineHandle(snapshot, clusterStateOf(snapshot, random));
  return new Map(
    config.profiles.map((profile) => [
      profile.schedulerName,
      createProfile(profile, config.percentageOfNodesToScore, handle, userPlugins.get(profile.schedulerName)),
    ]),
  );
}

/** What plugins get without a cluster: nothing is requested, as no decision is carried out. */
const offlineHandle = ({ configuration, extenders }: Snapshot, cluster: ClusterState): PluginHandle => ({
  cluster,
  client: createClient({ server: "https://127.0.0.1:1" }),
  eventRecorder: silentEventRecorder,
  waitingPods: new WaitingPods(systemClock),
  isEnabled: (feature) => configuration.featureGates[feature] ?? features[feature].default,
  ignoredResources: ignoredResources(extenders),
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
