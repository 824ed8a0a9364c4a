import type { apps, core } from "@orchernetes/api";
import { type LabelSelector, labelSelectorAsSelector, type Selector, type Stored } from "@orchernetes/apimachinery";
import type { ResourceRef } from "@orchernetes/client";

export type Pod = Stored<core.Pod>;

/**
 * A set of equal pods: a ReplicaSet, or a ReplicationController seen as one. Both kinds run through the same code; what
 * differs is in a {@link ReplicaSetKind}.
 */
export type ReplicaSetLike = Stored<apps.ReplicaSet>;

export interface ReplicaSetKind {
  readonly ref: ResourceRef<apps.ReplicaSet>;
  /** The object as a ReplicaSet; the same answer for the same object. */
  readonly read: (object: ReplicaSetLike) => ReplicaSetLike;
}

/** Compiled selector of a set. */
export function selectorOf(set: ReplicaSetLike): Selector {
  return labelSelectorAsSelector(set.spec.selector as LabelSelector | undefined);
}
