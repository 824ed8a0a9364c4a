import type { apps, core, policy, storage } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import type { PodState } from "../explain/explanation.ts";
import type { ExtenderAttempt } from "../extender/exchange.ts";
import type { ExtenderSettings } from "../extender/extender.ts";

/** Number of the format. A file with another one is not read. */
export const SNAPSHOT_VERSION = 2;

/**
 * Objects that decisions read beside nodes and pods; services and workloads are reduced to the selectors of their pods.
 * Assumed bindings of volumes are in the claims and volumes.
 */
export interface SnapshotObjects {
  readonly namespaces: readonly Stored<core.Namespace>[];
  readonly services: readonly Stored<core.Service>[];
  readonly replicationControllers: readonly Stored<core.ReplicationController>[];
  readonly replicaSets: readonly Stored<apps.ReplicaSet>[];
  readonly statefulSets: readonly Stored<apps.StatefulSet>[];
  readonly claims: readonly Stored<core.PersistentVolumeClaim>[];
  /** Those of a class in the order in which decisions see them. */
  readonly volumes: readonly Stored<core.PersistentVolume>[];
  readonly classes: readonly Stored<storage.StorageClass>[];
  readonly csiNodes: readonly Stored<storage.CSINode>[];
  readonly csiDrivers: readonly Stored<storage.CSIDriver>[];
  readonly capacities: readonly Stored<storage.CSIStorageCapacity>[];
  readonly budgets: readonly Stored<policy.PodDisruptionBudget>[];
}

/** An entry of the scheduling queue. */
export interface SnapshotQueueEntry extends Extract<PodState, { readonly type: "queued" }> {
  /** `namespace/name`. */
  readonly pod: string;
}

/**
 * What a decision depends on of an extender; nothing with which it could be called. Answers are recorded.
 */
export interface SnapshotExtender
  extends Pick<
    ExtenderSettings,
    "filterVerb" | "prioritizeVerb" | "preemptVerb" | "bindVerb" | "weight" | "nodeCacheCapable" | "ignorable"
  > {
  /** Its address, without a user's name and password. */
  readonly urlPrefix: string;
  readonly managedResources: readonly { readonly name: string; readonly ignoredByScheduler: boolean }[];
}

/** Everything that a decision depends on, at one moment: the same code makes the same decision from it. */
export interface Snapshot extends SnapshotObjects {
  readonly kind: "SchedulerSnapshot";
  readonly version: typeof SNAPSHOT_VERSION;
  /** RFC 3339. */
  readonly time: string;
  /** The profiles, as in the file of `--config`, and the feature gates that have an effect. */
  readonly configuration: {
    readonly profiles: readonly unknown[];
    readonly percentageOfNodesToScore: number;
    readonly featureGates: Readonly<Record<string, boolean>>;
  };
  readonly extenders: readonly SnapshotExtender[];
  /** What extenders answered in the last attempt of each pending pod that concerns them, as far as it was kept. */
  readonly attempts: readonly ExtenderAttempt[];
  /** Where the next search begins. */
  readonly start: number;
  /** State of the random numbers. */
  readonly seed: number;
  /** By slot; null for free slots. The order decides which nodes are examined first. */
  readonly nodes: readonly (Stored<core.Node> | null)[];
  /** Of the free slots, the last is taken next. */
  readonly freeSlots: readonly number[];
  /** Pods on nodes, those of a node in the order in which they were counted. */
  readonly placed: readonly { readonly node: string; readonly pod: Stored<core.Pod> }[];
  /** Keys of the placed pods whose binding was not observed yet. */
  readonly assumed: readonly string[];
  /** Nominated pods, in the order of their nominations. */
  readonly nominated: readonly { readonly node: string; readonly pod: Stored<core.Pod> }[];
  /** Pods without a node. */
  readonly pending: readonly Stored<core.Pod>[];
  /** In the order in which the pods were added, or their last attempts failed. */
  readonly queue: readonly SnapshotQueueEntry[];
}
