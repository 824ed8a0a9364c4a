import type { Draft } from "@orchernetes/apimachinery";
import { semanticEqual } from "../../shared/immutable.ts";
import { firstByKey } from "../../shared/repeated.ts";
import type { Pod } from "./types/pod.ts";

/**
 * Sets resize policies of a new pod: requests of CPU and memory can be changed without a restart unless the pod says
 * otherwise (KEP-1287).
 */
export function defaultResizePolicies({ spec }: Draft<Pod>): void {
  for (const container of spec.containers) {
    for (const resourceName of ["cpu", "memory"] as const) {
      const named = container.resizePolicy?.some((policy) => policy.resourceName === resourceName) ?? false;
      if (container.resources?.requests?.[resourceName] === undefined || named) continue;
      container.resizePolicy = [...(container.resizePolicy ?? []), { resourceName, restartPolicy: "NotRequired" }];
    }
  }
}

/** Marks a change of requests as proposed, until the node reports whether it accepts it (KEP-1287). */
export function proposeResize(pod: Draft<Pod>, old: Pod): void {
  const statuses = firstByKey(pod.status.containerStatuses, (status) => status.name);
  for (const [i, { name, resources }] of pod.spec.containers.entries()) {
    if (resources?.requests === undefined || semanticEqual(old.spec.containers[i]?.resources, resources)) continue;
    const status = statuses.get(name);
    if (status !== undefined && !semanticEqual(status.allocatedResources, resources.requests)) {
      pod.status = { ...pod.status, resize: "Proposed" };
      return;
    }
  }
}
