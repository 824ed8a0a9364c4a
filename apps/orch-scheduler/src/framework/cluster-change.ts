import type { core, storage } from "@orchernetes/api";
import type { PodInfo } from "../cache/pod-info.ts";
import { ClusterEvent, type ClusterEvents, type Plugin } from "./interfaces.ts";

interface ChangeOf<Resource extends string, T> {
  readonly resource: Resource;
  /** What kind of change it is; a change of a node can be several. */
  readonly events: ClusterEvents;
  /** Its name in the metric `scheduler_queue_incoming_pods_total`, such as `NodeAdd`. */
  readonly label: string;
  /** The object before the change; undefined if it was added. */
  readonly old?: T | undefined;
  /** The object after the change; undefined if it was removed. */
  readonly now?: T | undefined;
}

/** A change in the cluster after which pods may be schedulable that were not. */
export type ClusterChange =
  | ChangeOf<"Node", core.Node>
  /** A pod on a node, or one that left its node. */
  | ChangeOf<"Pod", core.Pod>
  | ChangeOf<"Namespace", core.Namespace>
  | ChangeOf<"PersistentVolumeClaim", core.PersistentVolumeClaim>
  | ChangeOf<"PersistentVolume", core.PersistentVolume>
  | ChangeOf<"StorageClass", storage.StorageClass>
  | ChangeOf<"CSINode", storage.CSINode>
  | ChangeOf<"CSIDriver", storage.CSIDriver>
  | ChangeOf<"CSIStorageCapacity", storage.CSIStorageCapacity>;

/** Whether a pod that a plugin rejected is to be tried again. */
type QueueingDecision = "queue" | "skip";

/**
 * Decides whether a change may undo a plugin's rejection of a pod. Called for the events that the plugin names; it must be
 * fast, because it is called for each pod that waits, and answer `queue` in doubt: a pod that is skipped waits for the next
 * change, or for `--pod-max-in-unschedulable-pods-duration`.
 */
export type QueueingHint = (pod: PodInfo, change: ClusterChange) => QueueingDecision;

/** What rejected a pod. */
export interface Rejector {
  /** Name of the plugin. */
  readonly name: string;
  /** Events that can change a rejection by this plugin. */
  readonly events: ClusterEvents;
  /** @default any of the events may help */
  readonly hint?: QueueingHint;
}

/** Every event. */
const EVERY_EVENT: ClusterEvents = 2 ** 31 - 1;

/** A plugin as what rejected a pod. */
export const rejectorOf = ({ name, events = EVERY_EVENT, hint }: Plugin): Rejector => ({
  name,
  events,
  ...(hint !== undefined && { hint }),
});

/** A pod no longer counts on its node: it was removed, or its binding failed. */
export const podLeft = (pod: core.Pod): ClusterChange => ({
  resource: "Pod",
  events: ClusterEvent.PodDeleted,
  label: "AssignedPodDelete",
  old: pod,
});
