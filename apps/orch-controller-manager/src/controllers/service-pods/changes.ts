import type { core } from "@orchernetes/api";
import { keyOf, type Stored } from "@orchernetes/apimachinery";
import type { Informer } from "@orchernetes/client";
import { isPodReady } from "@orchernetes/component-helpers";
import type { WorkQueue } from "@orchernetes/controller";
import { semanticEqual } from "../../shared/semantic-equal.ts";
import { addressesOf } from "./pod-endpoints.ts";
import { type Pod, serviceSelector } from "./service-selector.ts";

/** Enqueues services when they or their pods change in a way that affects endpoints. */
export function followServices(
  services: Informer<core.Service>,
  pods: Informer<core.Pod>,
  queue: WorkQueue,
  batchMs: number,
): void {
  const enqueueFor = (pod: Pod): void => {
    for (const service of services.lister.list(pod.metadata.namespace ?? "")) {
      if (serviceSelector(service)?.matches(pod.metadata.labels)) queue.addAfter(keyOf(service), batchMs);
    }
  };
  const enqueue = (service: Stored<core.Service>): void => queue.add(keyOf(service));
  services.addHandler({ onAdd: enqueue, onUpdate: (_, service) => enqueue(service), onDelete: enqueue });
  pods.addHandler({
    onAdd: enqueueFor,
    onUpdate(old, pod) {
      const relabeled = !semanticEqual(old.metadata.labels, pod.metadata.labels);
      if (relabeled) enqueueFor(old);
      if (relabeled || shows(old, pod)) enqueueFor(pod);
    },
    onDelete: enqueueFor,
  });
}

/** Whether a change of a pod can affect endpoints. */
function shows(old: Pod, pod: Pod): boolean {
  return (
    old === pod ||
    isPodReady(old) !== isPodReady(pod) ||
    old.status.phase !== pod.status.phase ||
    old.spec.nodeName !== pod.spec.nodeName ||
    old.spec.hostname !== pod.spec.hostname ||
    old.spec.subdomain !== pod.spec.subdomain ||
    (old.metadata.deletionTimestamp === undefined) !== (pod.metadata.deletionTimestamp === undefined) ||
    !semanticEqual(addressesOf(old), addressesOf(pod))
  );
}
