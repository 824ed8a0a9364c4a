import type { apps } from "@orchernetes/api";
import { isPodAvailable, isPodReady } from "@orchernetes/component-helpers";
import { semanticEqual } from "../../shared/semantic-equal.ts";
import { isUpdated } from "./daemon-pod.ts";
import { nodeFit } from "./node-fit.ts";
import { byNode, type DaemonSetState, oldestFirst } from "./reconcile.ts";

/** Computes the status from nodes and pods. Returns the current object if nothing has changed. Pure. */
export function statusOf(
  { set, nodes, pods, hash }: Omit<DaemonSetState, "backoffMs">,
  now: Date,
): apps.DaemonSetStatus {
  const groups = byNode(pods);
  let desired = 0;
  let scheduled = 0;
  let misscheduled = 0;
  let ready = 0;
  let available = 0;
  let updated = 0;
  for (const node of nodes) {
    const here = oldestFirst(groups.get(node.metadata.name) ?? []);
    if (!nodeFit(set.spec.template.spec, node).shouldRun) {
      if (here.length > 0) misscheduled += 1;
      continue;
    }
    desired += 1;
    const [pod] = here;
    if (pod === undefined) continue;
    scheduled += 1;
    if (isPodReady(pod)) ready += 1;
    if (isPodAvailable(pod, set.spec.minReadySeconds ?? 0, now.getTime())) available += 1;
    if (here.some((other) => isUpdated(other, set, hash))) updated += 1;
  }
  const old = set.status;
  const status: apps.DaemonSetStatus = {
    currentNumberScheduled: scheduled,
    numberMisscheduled: misscheduled,
    desiredNumberScheduled: desired,
    numberReady: ready,
    ...(set.metadata.generation === undefined ? {} : { observedGeneration: set.metadata.generation }),
    ...(updated === 0 ? {} : { updatedNumberScheduled: updated }),
    ...(available === 0 ? {} : { numberAvailable: available }),
    ...(desired === available ? {} : { numberUnavailable: desired - available }),
    ...(old?.collisionCount === undefined ? {} : { collisionCount: old.collisionCount }),
    ...(old?.conditions === undefined ? {} : { conditions: old.conditions }),
  };
  return old !== undefined && semanticEqual(status, old) ? old : status;
}
