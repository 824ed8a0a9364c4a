import type { core } from "@orchernetes/api";

/** The lowest priority of pods that the system needs; users' priority classes are below it. */
export const systemCriticalPriority = 2_000_000_000;

/** A pod's priority; 0 for a pod that was admitted without one. */
export function podPriority({ priority }: core.PodSpec): number {
  return priority ?? 0;
}
