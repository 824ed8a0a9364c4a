import type { ApiObject, OwnerReference, Stored } from "@orchernetes/apimachinery";
import { noPlan, type Plan } from "@orchernetes/controller";
import { assertNever } from "@orchernetes/kernel";
import { foregroundFinalizer, type GraphNode, orphanFinalizer } from "./graph.ts";

/** What became of an owner that a reference names. */
export type OwnerState = "exists" | "absent" | "waiting";

export interface CollectState {
  readonly node: GraphNode;
  /** The object as the server has it now. */
  readonly latest: Stored<ApiObject>;
  /** Only asked for references of `latest`. */
  readonly ownerState: (reference: OwnerReference) => OwnerState;
}

export type CollectAction =
  | { readonly type: "RemoveFinalizer"; readonly finalizer: string }
  | { readonly type: "RemoveOwners"; readonly uids: readonly string[] }
  /** Owners no longer wait for this object: it waits for one of them. */
  | { readonly type: "UnblockOwners" }
  | { readonly type: "Delete"; readonly policy: "Orphan" | "Background" | "Foreground" }
  | { readonly type: "Enqueue"; readonly nodes: readonly GraphNode[] };

/** Whether an object may stay, by what became of its owners; and whether one that waits for its dependents still must. */
export function reconcile({ node, latest, ownerState }: CollectState): Plan<CollectAction> {
  if (node.beingDeleted && !node.deletingDependents) return noPlan;
  if (node.deletingDependents) return finishForeground(node);
  const references = latest.metadata.ownerReferences ?? [];
  if (references.length === 0) return noPlan;

  const absent: string[] = [];
  const waiting: string[] = [];
  let solid = false;
  for (const reference of references) {
    const owner = ownerState(reference);
    switch (owner) {
      case "exists":
        solid = true;
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
  if (solid) {
    // Someone still wants the object; those who do not must not keep themselves waiting for it.
    const uids = [...absent, ...waiting];
    return uids.length === 0 ? noPlan : { actions: [{ type: "RemoveOwners", uids }] };
  }
  if (waiting.length > 0 && node.dependents.size > 0) {
    const circular = [...node.dependents].some(({ deletingDependents }) => deletingDependents);
    const actions: CollectAction[] = circular ? [{ type: "UnblockOwners" }] : [];
    // The owner wanted its dependents gone first, so theirs go before them.
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

function finishForeground(node: GraphNode): Plan<CollectAction> {
  const blocking = [...node.dependents].filter(({ owners }) =>
    owners.some(({ uid, blockOwnerDeletion }) => uid === node.identity.uid && blockOwnerDeletion === true),
  );
  if (blocking.length === 0) return { actions: [{ type: "RemoveFinalizer", finalizer: foregroundFinalizer }] };
  const nodes = blocking.filter(({ deletingDependents }) => !deletingDependents);
  return { actions: [{ type: "Enqueue", nodes }] };
}
