import { isNotFound } from "@orchernetes/apimachinery";
import type { LockClient } from "../lock-client.ts";
import { type ElectionRecord, type LockObject, lockObject, recordOfLease } from "./election-record.ts";
import type { ResourceLock } from "./resource-lock.ts";

/**
 * A lock in a Lease of coordination.o8s.io/v1. Leases are small and few clients watch them, so that renewals are
 * cheap.
 */
export function leaseLock(client: LockClient, namespace: string, name: string): ResourceLock {
  const collection = `/apis/coordination.o8s.io/v1/namespaces/${encodeURIComponent(namespace)}/leases`;
  const path = `${collection}/${encodeURIComponent(name)}`;
  let last: LockObject | undefined;
  const specOf = (record: ElectionRecord) => ({
    holderIdentity: record.holderIdentity,
    leaseDurationSeconds: record.leaseDurationSeconds,
    acquireTime: record.acquireTime,
    renewTime: record.renewTime,
    leaseTransitions: record.leaderTransitions,
  });
  return {
    description: `${namespace}/${name}`,
    reference: () => ({
      apiVersion: "coordination.o8s.io/v1",
      kind: "Lease",
      namespace,
      name,
      ...(last?.metadata.uid === undefined ? {} : { uid: last.metadata.uid }),
    }),
    async get(signal) {
      try {
        last = lockObject(await client.get(path, signal));
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
      const record = recordOfLease(last);
      return { record, raw: JSON.stringify(record) };
    },
    async create(record, signal) {
      const lease = {
        apiVersion: "coordination.o8s.io/v1",
        kind: "Lease",
        metadata: { name, namespace },
        spec: specOf(record),
      };
      last = lockObject(await client.create(collection, lease, signal));
    },
    async update(record, signal) {
      if (last === undefined) throw new Error(`lease ${namespace}/${name}: update before get`);
      // `last` contains the resourceVersion that was read, so that the update fails with a conflict when the Lease
      // has changed.
      last = lockObject(await client.update(path, { ...last, spec: specOf(record) }, signal));
    },
  };
}
