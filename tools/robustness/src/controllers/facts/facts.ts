/** What the rules need to know of any object. */
interface ObjectFacts {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** The uid of its controller. */
  readonly owner: string | undefined;
}

/** A pod. */
export interface PodFacts extends ObjectFacts {
  readonly kind: "Pod";
  /** The label `version` that it has from the template of its owner. */
  readonly version: string;
  /** The node to which it is bound, or restricted by its affinity. */
  readonly node: string | undefined;
  /** Its completion index, if it is of an Indexed Job. */
  readonly index: number | undefined;
  readonly phase: string;
  /** Whether its condition Ready is True. */
  readonly ready: boolean;
  /** Whether it has a deletionTimestamp. */
  readonly terminating: boolean;
  /** Whether it has the finalizer with which Jobs count their pods. */
  readonly tracked: boolean;
  /** Whether the workload, and not a controller, deletes it. */
  readonly disrupted: boolean;
}

/** An object whose controller writes the generation that it has seen into the status. */
interface ObservedFacts extends ObjectFacts {
  readonly generation: number;
  /** `status.observedGeneration`; 0 before the first status. */
  readonly observed: number;
  /** The label `version` of its template. */
  readonly version: string;
  readonly replicas: number;
  /** The available pods that its status reports. */
  readonly available: number;
}

/** A ReplicaSet, of a Deployment or by itself. */
export interface ReplicaSetFacts extends ObservedFacts {
  readonly kind: "ReplicaSet";
}

/** A Deployment that is rolled out step by step. */
export interface DeploymentFacts extends ObservedFacts {
  readonly kind: "Deployment";
  /** `maxSurge` as a number of pods. */
  readonly surge: number;
  /** `maxUnavailable` as a number of pods. */
  readonly unavailable: number;
}

/** A StatefulSet with ordinals from 0 on and update strategy RollingUpdate. */
export interface StatefulSetFacts extends ObservedFacts {
  readonly kind: "StatefulSet";
  /** Whether its pods are managed in order (`OrderedReady`). */
  readonly ordered: boolean;
  readonly partition: number;
}

/** A DaemonSet with update strategy RollingUpdate that runs on every node: `replicas` is the number of nodes. */
export interface DaemonSetFacts extends ObservedFacts {
  readonly kind: "DaemonSet";
  /** `maxSurge` as a number of nodes. */
  readonly surge: number;
  /** `maxUnavailable` as a number of nodes. */
  readonly unavailable: number;
}

/** A Job. */
export interface JobFacts extends ObjectFacts {
  readonly kind: "Job";
  readonly generation: number;
  readonly indexed: boolean;
  readonly parallelism: number;
  readonly completions: number;
  readonly backoffLimit: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly completedIndexes: readonly number[];
  /** uids of finished pods that the status names and has not added to its counts. */
  readonly uncounted: { readonly succeeded: readonly string[]; readonly failed: readonly string[] };
  readonly finished: "Complete" | "Failed" | undefined;
}

/** An object that owns pods, or owns their owner. */
export type OwnerFacts = ReplicaSetFacts | DeploymentFacts | StatefulSetFacts | DaemonSetFacts | JobFacts;

/** An object of a history. */
export type Facts = PodFacts | OwnerFacts;

/** Whether a pod counts as one of its owner's: it has not ended, and nobody deletes it. */
export const isActive = (pod: PodFacts): boolean =>
  !pod.terminating && pod.phase !== "Succeeded" && pod.phase !== "Failed";

/** Whether an active pod serves. */
export const isAvailable = (pod: PodFacts): boolean => isActive(pod) && pod.phase === "Running" && pod.ready;

/** `Deployment web` */
export const nameOf = ({ kind, name }: Facts): string => `${kind} ${name}`;
