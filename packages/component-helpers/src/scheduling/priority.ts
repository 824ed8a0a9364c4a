import type { core } from "@orchernetes/api";

/** The lowest priority of system-critical pods. Users cannot create priority classes with it or above it. */
export const systemCriticalPriority = 2_000_000_000;

/** The priority of a pod; 0 if it was admitted without one. */
export function podPriority({ priority }: core.PodSpec): number {
  return priority ?? 0;
}
