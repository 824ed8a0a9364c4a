import type { core } from "@orchernetes/api";
import { podRequests, podRequestUnits } from "@orchernetes/component-helpers";

/**
 * The request of a pod for a resource, in the unit of the resource (CPU in thousandths); 1 for `pods`. Overhead counts
 * only if the containers request the resource, as in the original.
 */
export function podRequestOf(spec: core.PodSpec, resource: string): number {
  if (resource === "pods") return 1;
  const ofContainers = podRequests(spec, { overhead: false }).get(resource);
  if (ofContainers === undefined || ofContainers.isZero) return 0;
  return podRequestUnits(spec).get(resource) ?? 0;
}
