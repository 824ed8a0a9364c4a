import type { Deployment } from "./rollout.ts";

/**
 * Resolves a number, or a percentage of `total` with the given rounding. Any other value is 0; validation rejects it
 * before.
 */
export function resolveIntOrPercent(
  value: number | string | undefined,
  total: number,
  round: (value: number) => number,
): number {
  if (typeof value === "number") return value;
  const match = /^(\d+)%$/.exec(value ?? "");
  return match === null ? 0 : round((Number(match[1]) * total) / 100);
}

/** The limits of a rolling update: surge is rounded up, unavailable down. They are never both 0. */
export function fenceposts(
  maxSurge: number | string | undefined,
  maxUnavailable: number | string | undefined,
  replicas: number,
): { readonly surge: number; readonly unavailable: number } {
  const surge = resolveIntOrPercent(maxSurge, replicas, Math.ceil);
  const unavailable = resolveIntOrPercent(maxUnavailable, replicas, Math.floor);
  // If pods could be neither added nor removed, the rollout would never progress.
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

/** The desired number of pods. */
export const replicasOf = (deployment: Deployment): number => deployment.spec.replicas ?? 1;

/** Whether the strategy is RollingUpdate, which is the default. */
export function isRollingUpdate(deployment: Deployment): boolean {
  return (deployment.spec.strategy?.type ?? "RollingUpdate") === "RollingUpdate";
}

function limitsOf(deployment: Deployment): { readonly surge: number; readonly unavailable: number } {
  const { maxSurge = "25%", maxUnavailable = "25%" } = deployment.spec.strategy?.rollingUpdate ?? {};
  return fenceposts(maxSurge, maxUnavailable, replicasOf(deployment));
}

/** Pods that may exist beyond the desired ones; 0 unless the update is rolling. */
export function maxSurge(deployment: Deployment): number {
  return isRollingUpdate(deployment) ? limitsOf(deployment).surge : 0;
}

/** Pods that may be missing; 0 unless the update is rolling. */
export function maxUnavailable(deployment: Deployment): number {
  const replicas = replicasOf(deployment);
  return isRollingUpdate(deployment) && replicas > 0 ? Math.min(limitsOf(deployment).unavailable, replicas) : 0;
}
