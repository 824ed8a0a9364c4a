import { coordination } from "@orchernetes/api";
import { formatMicroTime, isAlreadyExists, isConflict, isNotFound, type Stored } from "@orchernetes/apimachinery";
import type { Client } from "@orchernetes/client";
import type { Clock, Logger } from "@orchernetes/kernel";

/** Namespace of the leases of all nodes (KEP-589). */
const leaseNamespace = "orch-node-lease";
/** Bounds of the back-off after failed renewals. */
const retryMs = 200;
const maxRetryMs = 7000;

/**
 * Renews the node's lease until the signal aborts: four times per lease duration, so that single failures do not let it
 * expire. A missing lease is created. The Node owns it, so that it is deleted with the Node.
 */
export async function keepNodeLease(options: {
  readonly client: Client;
  readonly nodeName: string;
  /** Uid of the Node; undefined until it is registered. */
  readonly nodeUid: () => string | undefined;
  readonly durationSeconds: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { client, nodeName, durationSeconds, clock, logger, signal } = options;
  const leases = client.resource(coordination.leases).namespace(leaseNamespace);
  let lease: Stored<coordination.Lease> | undefined;

  const owned = (): object => {
    const uid = options.nodeUid();
    return uid === undefined ? {} : { ownerReferences: [{ apiVersion: "v1", kind: "Node", name: nodeName, uid }] };
  };
  const spec = () => ({
    holderIdentity: nodeName,
    leaseDurationSeconds: durationSeconds,
    renewTime: formatMicroTime(clock.now()),
  });
  const renew = async (): Promise<void> => {
    if (lease === undefined) {
      try {
        lease = await leases.get(nodeName, { signal });
      } catch (error) {
        if (!isNotFound(error)) throw error;
        lease = await leases.create(
          { metadata: { name: nodeName, namespace: leaseNamespace, ...owned() }, spec: spec() },
          { signal },
        );
        return;
      }
    }
    const metadata = { ...lease.metadata, ...(lease.metadata.ownerReferences === undefined ? owned() : {}) };
    lease = await leases.update({ ...lease, metadata, spec: { ...lease.spec, ...spec() } }, { signal });
  };

  let waitMs = retryMs;
  while (!signal.aborted) {
    try {
      await renew();
      waitMs = retryMs;
      await clock.sleep((durationSeconds * 1000) / 4, signal);
    } catch (error) {
      if (signal.aborted) return;
      // Another writer may have changed the lease: read it again.
      lease = undefined;
      if (!isConflict(error) && !isAlreadyExists(error)) logger.error(error, "Failed to update lease");
      await clock.sleep(waitMs, signal).catch(() => undefined);
      waitMs = Math.min(waitMs * 2, maxRetryMs);
    }
  }
}
