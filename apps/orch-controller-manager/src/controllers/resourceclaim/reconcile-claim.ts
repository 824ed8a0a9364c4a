import type { core } from "@orchernetes/api";
import type { ResourceClaim } from "@orchernetes/api/resource/v1alpha2";
import type { Stored } from "@orchernetes/apimachinery";
import { isPodTerminal } from "@orchernetes/component-helpers";
import { noPlan, type Plan } from "@orchernetes/controller";

/** Everything that determines who uses a claim. */
export interface ClaimState {
  readonly claim: Stored<ResourceClaim>;
  /** The pods among its users, by uid; a pod that does not exist any more is not there. */
  readonly pods: ReadonlyMap<string, core.Pod>;
}

/** A write of the controller. */
export type ClaimAction = { readonly type: "UpdateStatus"; readonly claim: Stored<ResourceClaim> };

type Consumer = NonNullable<NonNullable<ResourceClaim["status"]>["reservedFor"]>[number];

/** Whether a user of a claim is a pod. What else uses claims is not known here, and left alone. */
export const isPodConsumer = ({ apiGroup = "", resource }: Consumer): boolean => apiGroup === "" && resource === "pods";

/** Whether a pod does not use claims any more: it has ended, or is deleted before it had a node. */
export function isDone(pod: core.Pod): boolean {
  return isPodTerminal(pod) || (pod.metadata.deletionTimestamp !== undefined && !pod.spec.nodeName);
}

/** Takes pods that are done with a claim, or do not exist, from its users, so that others may use it. Pure. */
export function reconcileClaim({ claim, pods }: ClaimState): Plan<ClaimAction> {
  const before = claim.status?.reservedFor ?? [];
  const reservedFor = before.filter((consumer) => {
    if (!isPodConsumer(consumer)) return true;
    const pod = pods.get(consumer.uid);
    return pod !== undefined && !isDone(pod);
  });
  if (reservedFor.length === before.length) return noPlan;
  return { actions: [{ type: "UpdateStatus", claim: { ...claim, status: { ...claim.status, reservedFor } } }] };
}
