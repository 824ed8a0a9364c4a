import type { ClusterCIDR } from "@orchernetes/api/networking/v1alpha1";
import type { Stored } from "@orchernetes/apimachinery";
import type { Plan } from "@orchernetes/controller";

/** Keeps a ClusterCIDR from being deleted while nodes have ranges of it. */
export const clusterCidrFinalizer = "networking.o8s.io/cluster-cidr-finalizer";

/** Everything that determines what becomes of a ClusterCIDR. */
export interface ClusterCidrState {
  readonly object: Stored<ClusterCIDR>;
  /** Whether nodes have ranges of it. */
  readonly isUsed: boolean;
}

/** A step of the controller. */
export type ClusterCidrAction =
  /** Lets nodes have ranges of it, if it is not open already. */
  | { readonly type: "Open" }
  /** Gives no ranges of it any more. */
  | { readonly type: "Close" }
  | { readonly type: "SetFinalizers"; readonly finalizers: readonly string[] };

/** Opens a ClusterCIDR once it has the finalizer, and removes the finalizer from one that is being deleted when no node uses it. Pure. */
export function reconcile({ object, isUsed }: ClusterCidrState): Plan<ClusterCidrAction> {
  const { deletionTimestamp, finalizers = [] } = object.metadata;
  const isHeld = finalizers.includes(clusterCidrFinalizer);
  if (deletionTimestamp === undefined) {
    if (isHeld) return { actions: [{ type: "Open" }] };
    return {
      actions: [{ type: "SetFinalizers", finalizers: [...finalizers, clusterCidrFinalizer] }, { type: "Open" }],
    };
  }
  if (!isHeld || isUsed) return { actions: [{ type: "Close" }] };
  const others = finalizers.filter((finalizer) => finalizer !== clusterCidrFinalizer);
  return { actions: [{ type: "Close" }, { type: "SetFinalizers", finalizers: others }] };
}
