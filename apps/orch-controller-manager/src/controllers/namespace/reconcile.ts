import type { core } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import { noPlan, type Plan } from "@orchernetes/controller";

export type Namespace = Stored<core.Namespace>;

/** The finalizer that the controller takes off once a namespace is empty. */
export const finalizer = "orchernetes";
/** Time for every API server to learn that the namespace takes no more objects. */
const graceMs = 5_000;

export type NamespaceAction =
  /** Sets the phase, so that no more objects are taken. */
  | { readonly type: "MarkTerminating" }
  /** Deletes what is in it, and lets it go when nothing is left. */
  | { readonly type: "Empty" };

/** Whether the controller has anything to do with a namespace: it is being deleted and waits for the controller. */
export const isLeaving = ({ metadata, spec }: Namespace): boolean =>
  metadata.deletionTimestamp !== undefined && spec.finalizers?.includes(finalizer) === true;

/** What to do with a namespace: nothing unless it is leaving. */
export function reconcile(namespace: Namespace): Plan<NamespaceAction> {
  if (!isLeaving(namespace)) return noPlan;
  const isMarked = namespace.status.phase === "Terminating";
  return { actions: [...(isMarked ? [] : [{ type: "MarkTerminating" } as const]), { type: "Empty" }] };
}

/** Milliseconds until a namespace that is leaving may be looked at. */
export function graceLeftMs({ metadata: { deletionTimestamp = "" } }: Namespace, now: Date): number {
  const age = now.getTime() - Date.parse(deletionTimestamp);
  return Math.min(graceMs, Math.max(0, graceMs - age));
}
