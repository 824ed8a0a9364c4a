import type { apps, core } from "@orchernetes/api";
import { type LabelSelector, labelSelectorAsSelector, type Selector, type Stored } from "@orchernetes/apimachinery";
import type { ResourceRef } from "@orchernetes/client";

/** A Pod as the API server returns it. */
export type Pod = Stored<core.Pod>;

/**
 * A set of equal pods: a ReplicaSet, or a ReplicationController converted to one. Both kinds share the same code; a
 * {@link ReplicaSetKind} describes the differences.
 */
export type ReplicaSetLike = Stored<apps.ReplicaSet>;

/** One of the two kinds of sets. */
export interface ReplicaSetKind {
  readonly ref: ResourceRef<apps.ReplicaSet>;
  /** Converts the object to a ReplicaSet. Returns the same result for the same object. */
  readonly read: (object: ReplicaSetLike) => ReplicaSetLike;
}

/** The compiled selector of a set. */
export function selectorOf(set: ReplicaSetLike): Selector {
  return labelSelectorAsSelector(set.spec.selector as LabelSelector | undefined);
}
