import type { core } from "@orchernetes/api";
import { controllerRef, lastAppliedAnnotations, type Stored } from "@orchernetes/apimachinery";
import { endpoints as endpointsRef } from "../../shared/refs.ts";
import { managedByLabel, serviceNameLabel } from "../service-pods/managed-slices.ts";
import { triggerTimeAnnotation } from "../service-pods/trigger-time.ts";

/** Name of the controller in the label of its slices. */
export const controllerName = "endpointslicemirroring-controller.o8s.io";

const leftOut: readonly string[] = [triggerTimeAnnotation, ...lastAppliedAnnotations];
/** Limits of what every slice repeats, in bytes: an object may have 256 KiB of annotations, and its slices are many. */
const maxAnnotationBytes = 4096;
const maxTotalBytes = 16_384;

/**
 * Labels and annotations of a mirroring slice: those of the Endpoints object, except for records of other tools, and for those
 * beyond 4 KiB each and 16 KiB in all, in the order of their keys.
 */
export function mirroredMetadata(endpoints: Stored<core.Endpoints>) {
  const { labels = {}, annotations = {}, name } = endpoints.metadata;
  const mirrored = Object.entries(annotations).filter(([key]) => !leftOut.includes(key));
  return {
    labels: { ...bounded(Object.entries(labels)), [serviceNameLabel]: name, [managedByLabel]: controllerName },
    annotations: bounded(mirrored),
    ownerReferences: [controllerRef(endpointsRef, endpoints)],
  };
}

function bounded(entries: readonly (readonly [key: string, value: string])[]): Readonly<Record<string, string>> {
  let total = 0;
  const kept = entries
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .filter(([key, value]) => {
      const bytes = Buffer.byteLength(key) + Buffer.byteLength(value);
      if (bytes > maxAnnotationBytes || total + bytes > maxTotalBytes) return false;
      total += bytes;
      return true;
    });
  return Object.fromEntries(kept);
}
