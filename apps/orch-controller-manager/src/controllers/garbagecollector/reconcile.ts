import type { ApiObject, OwnerReference, Stored } from "@orchernetes/apimachinery";
import { noPlan, type Plan } from "@orchernetes/controller";
import { assertNever } from "@orchernetes/kernel";
import { foregroundFinalizer, type GraphNode, orphanFinalizer } from "./graph.ts";

/** The state of an owner. `waiting`: it is deleted in the foreground and waits for its dependents. */
export type OwnerState = "exists" | "absent" | "waiting";

/** An object, and the states of its owners. */
export interface CollectState {
  readonly node: GraphNode;
  /** The object, as just read from the server: the graph may lag. */
  readonly latest: Stored<ApiObject>;
  /** Called only for references of `latest`. */
  readonly ownerState: (reference: OwnerReference) => OwnerState;
}

/** A write of the controller, in the order of the plan. */
export type CollectAction =
  | { readonly type: "RemoveFinalizer"; readonly finalizer: string }
  | { readonly type: "RemoveOwners"; readonly uids: readonly string[] }
  /** Clears blockOwnerDeletion, because the object and its owner would wait for each other. */
  | { readonly type: "UnblockOwners" }
  | { readonly type: "Delete"; readonly policy: "Orphan" | "Background" | "Foreground" }
  | { readonly type: "Enqueue"; readonly nodes: readonly GraphNode[] };

/**
 * Decides whether an object stays, depending on its owners, and whether an object in foreground deletion must still
 * wait for its dependents. Pure.
 */
export function reconcile({ node, latest, ownerState }: CollectState): Plan<CollectAction> {
  if (node.beingDeleted && !node.deletingDependents) return noPlan;
  if (node.deletingDependents) return finishForeground(node);
  const references = latest.metadata.ownerReferences ?? [];
  if (references.length === 0) return noPlan;

  const absent: string[] = [];
  const waiting: string[] = [];
  let hasOwner = false;
  for (const reference of references) {
    const owner = ownerState(reference);
    switch (owner) {
      case "exists":
        hasOwner = true;
        break;
      case "absent":
        absent.push(reference.uid);
        break;
      case "waiting":
        waiting.push(reference.uid);
        break;
      default:
        return assertNever(owner);
    }
  }
  if (hasOwner) {
    // The object stays. Owners that wait for it must not wait forever, so the references to them are removed, too.
    const uids = [...absent, ...waiting];
    return uids.length === 0 ? noPlan : { actions: [{ type: "RemoveOwners", uids }] };
  }
  if (waiting.length > 0 && node.dependents.size > 0) {
    const circular = [...node.dependents].some(({ deletingDependents }) => deletingDependents);
    const actions: CollectAction[] = circular ? [{ type: "UnblockOwners" }] : [];
    // The owner is deleted in the foreground, so its dependents are, too.
    return { actions: [...actions, { type: "Delete", policy: "Foreground" }] };
  }
  const finalizers = latest.metadata.finalizers ?? [];
  const policy = finalizers.includes(orphanFinalizer)
    ? "Orphan"
    : finalizers.includes(foregroundFinalizer)
      ? "Foreground"
      : "Background";
  return { actions: [{ type: "Delete", policy }] };
}

/** Completes a foreground deletion, or enqueues the dependents that block it. */
function finishForeground(node: GraphNode): Plan<CollectAction> {
  const blocking = [...node.dependents].filter(({ owners }) =>
    owners.some(({ uid, blockOwnerDeletion }) => uid === node.identity.uid && blockOwnerDeletion === true),
  );
  if (blocking.length === 0) return { actions: [{ type: "RemoveFinalizer", finalizer: foregroundFinalizer }] };
  const nodes = blocking.filter(({ deletingDependents }) => !deletingDependents);
  return { actions: [{ type: "Enqueue", nodes }] };
}
