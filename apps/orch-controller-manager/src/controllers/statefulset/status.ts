import type { apps } from "@orchernetes/api";
import { isPodAvailable, isPodReady } from "@orchernetes/component-helpers";
import { semanticEqual } from "../../shared/semantic-equal.ts";
import { revisionLabel } from "./identity.ts";
import type { StatefulSetState } from "./reconcile.ts";

/** Computes the status from the pods. Returns the current object if nothing has changed. Pure. */
export function statusOf(state: StatefulSetState, now: Date): apps.StatefulSetStatus {
  const { set, pods, updateRevision } = state;
  const old = set.status;
  let { currentRevision } = state;
  let ready = 0;
  let available = 0;
  let current = 0;
  let updated = 0;
  for (const pod of pods) {
    if (pod.status.phase === "Running" && isPodReady(pod)) {
      ready += 1;
      if (isPodAvailable(pod, set.spec.minReadySeconds ?? 0, now.getTime())) available += 1;
    }
    if (pod.metadata.deletionTimestamp !== undefined) continue;
    const revision = pod.metadata.labels?.[revisionLabel];
    if (revision === currentRevision) current += 1;
    if (revision === updateRevision) updated += 1;
  }
  const rolling = (set.spec.updateStrategy?.type ?? "RollingUpdate") === "RollingUpdate";
  if (rolling && updated === pods.length && ready === pods.length && pods.length === (set.spec.replicas ?? 1)) {
    currentRevision = updateRevision;
    current = updated;
  }
  const status: apps.StatefulSetStatus = {
    ...(set.metadata.generation === undefined ? {} : { observedGeneration: set.metadata.generation }),
    replicas: pods.length,
    ...(ready === 0 ? {} : { readyReplicas: ready }),
    ...(current === 0 ? {} : { currentReplicas: current }),
    ...(updated === 0 ? {} : { updatedReplicas: updated }),
    currentRevision,
    updateRevision,
    collisionCount: old?.collisionCount ?? 0,
    ...(old?.conditions === undefined ? {} : { conditions: old.conditions }),
    availableReplicas: available,
  };
  return old !== undefined && semanticEqual(status, old) ? old : status;
}
