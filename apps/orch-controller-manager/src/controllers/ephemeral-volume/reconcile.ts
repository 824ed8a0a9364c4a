import type { core } from "@orchernetes/api";
import { controllerOf, controllerRef, keyOf, type Stored } from "@orchernetes/apimachinery";
import { noPlan, type Plan } from "@orchernetes/controller";
import { pods as podsRef } from "../../shared/refs.ts";

/** Everything that determines the claims of a pod's generic ephemeral volumes. */
export interface EphemeralState {
  readonly pod: Stored<core.Pod>;
  /** Finds a claim of the pod's namespace. */
  readonly claimOf: (name: string) => Stored<core.PersistentVolumeClaim> | undefined;
}

/** A claim without status, as it is created. */
type NewClaim = Pick<core.PersistentVolumeClaim, "metadata" | "spec">;

/** A step of the controller. */
export type EphemeralAction =
  /** Creates the claim of a volume. */
  | { readonly type: "CreateClaim"; readonly volume: string; readonly claim: NewClaim }
  /** Reports a volume that cannot have its claim. The volumes after it are looked at when the pod is retried. */
  | { readonly type: "Refuse"; readonly message: string };

/**
 * Creates the missing claims of a pod's generic ephemeral volumes (KEP-1698). The pod owns them, so that they are deleted with
 * it. A claim of the same name that belongs to somebody else is never used, because the pod would delete or share its data.
 * Pure.
 */
export function reconcile({ pod, claimOf }: EphemeralState): Plan<EphemeralAction> {
  const { namespace = "", deletionTimestamp } = pod.metadata;
  if (deletionTimestamp !== undefined) return noPlan;
  const actions: EphemeralAction[] = [];
  for (const { name: volume, ephemeral } of pod.spec.volumes ?? []) {
    if (ephemeral?.volumeClaimTemplate === undefined) continue;
    const name = `${pod.metadata.name}-${volume}`;
    const known = claimOf(name);
    if (known !== undefined) {
      if (controllerOf(known)?.uid === pod.metadata.uid) continue;
      const found = `PVC ${keyOf(known)} was not created for pod ${keyOf(pod)} (pod is not owner)`;
      actions.push({ type: "Refuse", message: `ephemeral volume ${volume}: ${found}` });
      break;
    }
    const { metadata, spec } = ephemeral.volumeClaimTemplate;
    const { labels, annotations } = metadata ?? {};
    const claim: NewClaim = {
      metadata: {
        name,
        namespace,
        ...(labels === undefined ? {} : { labels }),
        ...(annotations === undefined ? {} : { annotations }),
        ownerReferences: [controllerRef(podsRef, pod)],
      },
      spec,
    };
    actions.push({ type: "CreateClaim", volume, claim });
  }
  return { actions };
}
