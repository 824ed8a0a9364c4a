import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { noPlan, type Plan } from "@orchernetes/controller";

/** A Namespace as the API server returns it. */
export type Namespace = Stored<core.Namespace>;

/** The finalizer that the controller removes when a namespace is empty. */
export const finalizer = "orchernetes";
/**
 * Time for all API servers to observe the deletion; until then, one of them could still create objects in the
 * namespace.
 */
const graceMs = 5_000;

/** A step of the deletion, in the order of the plan. */
export type NamespaceAction =
  /** Sets phase Terminating, so that no further objects are created. */
  | { readonly type: "MarkTerminating" }
  /** Deletes the content, and removes the finalizer when nothing is left. */
  | { readonly type: "Empty" };

/** Whether the namespace is being deleted and waits for the controller. */
export const isLeaving = ({ metadata, spec }: Namespace): boolean =>
  metadata.deletionTimestamp !== undefined && spec.finalizers?.includes(finalizer) === true;

/** Decides what to do for a namespace: nothing unless it is being deleted. Pure. */
export function reconcile(namespace: Namespace): Plan<NamespaceAction> {
  if (!isLeaving(namespace)) return noPlan;
  const isMarked = namespace.status.phase === "Terminating";
  return { actions: [...(isMarked ? [] : [{ type: "MarkTerminating" } as const]), { type: "Empty" }] };
}

/** Milliseconds until the content of a terminating namespace may be deleted. */
export function graceLeftMs({ metadata: { deletionTimestamp = "" } }: Namespace, now: Date): number {
  const age = now.getTime() - Date.parse(deletionTimestamp);
  return Math.min(graceMs, Math.max(0, graceMs - age));
}
