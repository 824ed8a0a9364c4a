import type { LockClient } from "../lock-client.ts";
import { annotationLock } from "./annotation-lock.ts";
import { leaseLock } from "./lease-lock.ts";
import { multiLock } from "./multi-lock.ts";
import type { ResourceLock } from "./resource-lock.ts";

/** Values of `--leader-elect-resource-lock`. */
export type LockType = "leases" | "endpointsleases" | "configmapsleases";

/** Values of `--leader-elect-resource-lock`, for flag tables and schemas. */
export const lockTypes: readonly LockType[] = ["leases", "endpointsleases", "configmapsleases"];

/**
 * Creates a lock of a type on the object (or pair of objects) with a name.
 * @throws Error for another type.
 */
export function createLock(type: string, client: LockClient, namespace: string, name: string): ResourceLock {
  const lease = leaseLock(client, namespace, name);
  switch (type) {
    case "leases":
      return lease;
    case "endpointsleases":
      return multiLock(annotationLock(client, "Endpoints", namespace, name), lease);
    case "configmapsleases":
      return multiLock(annotationLock(client, "ConfigMap", namespace, name), lease);
    default:
      throw new Error(`unknown resource lock "${type}": want one of ${lockTypes.join(", ")}`);
  }
}
