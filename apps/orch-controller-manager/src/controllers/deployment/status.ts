import type { apps } from "@orchernetes/api";
import { findCondition } from "@orchernetes/component-helpers";
import { condition, removeCondition, setCondition } from "./conditions.ts";
import { maxUnavailable, replicasOf } from "./limits.ts";
import { availableCount, type Deployment, type Members, replicaCount } from "./rollout.ts";

type Status = apps.DeploymentStatus;

/** This deadline, the maximum of a 32-bit integer, means no deadline. */
const noDeadline = 2 ** 31 - 1;

/** Whether the rollout has a deadline, so that the Progressing condition is maintained. */
export function hasProgressDeadline({ spec }: Deployment): boolean {
  return spec.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== noDeadline;
}

/** Computes the counts and the Available condition. */
export function calculateStatus(deployment: Deployment, members: Members, now: Date): Status {
  const sum = (count: (status: apps.ReplicaSetStatus) => number | undefined): number =>
    members.all.reduce((total, { set }) => total + (count(set.status) ?? 0), 0);
  const available = availableCount(members.all);
  const replicas = sum((status) => status.replicas);
  const updated = members.current?.set.status.replicas ?? 0;
  const ready = sum((status) => status.readyReplicas);
  const unavailable = Math.max(0, replicaCount(members.all) - available);
  const enough = available >= replicasOf(deployment) - maxUnavailable(deployment);
  const { collisionCount, conditions = [] } = deployment.status;
  return {
    observedGeneration: deployment.metadata.generation,
    ...(replicas === 0 ? {} : { replicas }),
    ...(updated === 0 ? {} : { updatedReplicas: updated }),
    ...(ready === 0 ? {} : { readyReplicas: ready }),
    ...(available === 0 ? {} : { availableReplicas: available }),
    ...(unavailable === 0 ? {} : { unavailableReplicas: unavailable }),
    conditions: setCondition(
      conditions,
      enough
        ? condition("Available", "True", "MinimumReplicasAvailable", "Deployment has minimum availability.", now)
        : condition(
            "Available",
            "False",
            "MinimumReplicasUnavailable",
            "Deployment does not have minimum availability.",
            now,
          ),
    ),
    ...(collisionCount === undefined ? {} : { collisionCount }),
  };
}

/** Whether all pods are of the current template and available, and no other pods are left. */
export function isComplete(deployment: Deployment, status: Status): boolean {
  const wanted = replicasOf(deployment);
  return (
    (status.updatedReplicas ?? 0) === wanted &&
    (status.replicas ?? 0) === wanted &&
    (status.availableReplicas ?? 0) === wanted &&
    (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

/** Whether the rollout has advanced: more updated, ready or available pods, or fewer old ones. */
function hasProgressed(old: Status, next: Status): boolean {
  const stale = (status: Status): number => (status.replicas ?? 0) - (status.updatedReplicas ?? 0);
  return (
    (next.updatedReplicas ?? 0) > (old.updatedReplicas ?? 0) ||
    stale(next) < stale(old) ||
    (next.readyReplicas ?? 0) > (old.readyReplicas ?? 0) ||
    (next.availableReplicas ?? 0) > (old.availableReplicas ?? 0)
  );
}

/** Time at which the progress deadline expires, in milliseconds since the epoch; undefined without a deadline. */
function deadlineMs(deployment: Deployment, status: Status): number | undefined {
  const progressing = findCondition(status.conditions, "Progressing");
  if (!hasProgressDeadline(deployment) || progressing?.lastUpdateTime === undefined) return undefined;
  return Date.parse(progressing.lastUpdateTime) + (deployment.spec.progressDeadlineSeconds ?? 0) * 1000;
}

/** Whether the rollout has made no progress within the deadline. A completed rollout cannot time out. */
function hasTimedOut(deployment: Deployment, status: Status, now: Date): boolean {
  const progressing = findCondition(status.conditions, "Progressing");
  if (progressing === undefined || progressing.reason === "NewReplicaSetAvailable") return false;
  if (progressing.reason === "ProgressDeadlineExceeded") return true;
  const deadline = deadlineMs(deployment, status);
  return deadline !== undefined && deadline < now.getTime();
}

/** Computes the status during a rollout: counts, and the Available, Progressing and ReplicaFailure conditions. */
export function rolloutStatus(deployment: Deployment, members: Members, now: Date): Status {
  const status = calculateStatus(deployment, members, now);
  let conditions = status.conditions ?? [];
  const progressing = findCondition(deployment.status.conditions, "Progressing");
  const settled =
    (status.replicas ?? 0) === (status.updatedReplicas ?? 0) && progressing?.reason === "NewReplicaSetAvailable";
  if (!hasProgressDeadline(deployment)) {
    conditions = removeCondition(conditions, "Progressing");
  } else if (!settled) {
    const who =
      members.current === undefined
        ? `Deployment "${deployment.metadata.name}"`
        : `ReplicaSet "${members.current.set.metadata.name}"`;
    if (isComplete(deployment, status)) {
      const message = `${who} has successfully progressed.`;
      conditions = setCondition(conditions, condition("Progressing", "True", "NewReplicaSetAvailable", message, now));
    } else if (hasProgressed(deployment.status, status)) {
      const next = condition("Progressing", "True", "ReplicaSetUpdated", `${who} is progressing.`, now);
      const since = progressing?.status === "True" ? progressing.lastTransitionTime : undefined;
      // Progress restarts the deadline, so lastUpdateTime must change even if the condition stays the same.
      conditions = [
        ...removeCondition(conditions, "Progressing"),
        since === undefined ? next : { ...next, lastTransitionTime: since },
      ];
    } else if (hasTimedOut(deployment, status, now)) {
      const message = `${who} has timed out progressing.`;
      conditions = setCondition(
        conditions,
        condition("Progressing", "False", "ProgressDeadlineExceeded", message, now),
      );
    }
  }
  const failure = replicaFailure(members);
  conditions =
    failure === undefined
      ? removeCondition(conditions, "ReplicaFailure")
      : setCondition(
          conditions,
          condition("ReplicaFailure", failure.status, failure.reason ?? "", failure.message ?? "", now),
        );
  return { ...status, conditions };
}

/** The failure of the current ReplicaSet, or while there is none, of any old one. */
function replicaFailure({ current, all }: Members): apps.ReplicaSetCondition | undefined {
  const failureOf = ({ set }: { readonly set: { readonly status: apps.ReplicaSetStatus } }) =>
    set.status.conditions?.find(({ type }) => type === "ReplicaFailure");
  if (current !== undefined) return failureOf(current);
  return all.map(failureOf).find((failure) => failure !== undefined);
}

/** Milliseconds until a rollout without progress may have missed its deadline; undefined if it has none to miss. */
export function nextDeadlineMs(deployment: Deployment, status: Status, now: Date): number | undefined {
  const reason = findCondition(status.conditions, "Progressing")?.reason;
  if (reason === "ProgressDeadlineExceeded" || reason === "NewReplicaSetAvailable") return undefined;
  if (isComplete(deployment, status)) return undefined;
  const deadline = deadlineMs(deployment, status);
  return deadline === undefined ? undefined : Math.max(0, deadline - now.getTime()) + 1000;
}
