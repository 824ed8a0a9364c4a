import type { Clock, Logger } from "@orchernetes/kernel";
import type { RepairLoop } from "../allocators/repair-loop.ts";
import { type ClusterServiceOptions, publishClusterService } from "../endpoints/cluster-service.ts";
import { type EndpointReconciler, keepReconciled } from "../endpoints/endpoint-reconciler.ts";
import type { PostStartHook } from "../post-start/hooks.ts";
import { keepEnsured } from "./keep-ensured.ts";

/** What {@link bootstrapController} sets up. */
export interface BootstrapControllerOptions {
  /** The cluster's own service; undefined: there is none. */
  readonly service: ClusterServiceOptions | undefined;
  /** Undefined: endpoints are someone else's. */
  readonly endpoints: EndpointReconciler | undefined;
  /** Creates and repairs the allocation ranges of services. */
  readonly repairs: Pick<RepairLoop, "runOnce" | "run">;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Aborts when the server receives the signal to stop. */
  readonly stopping: AbortSignal;
}

/**
 * Creates the service ranges and the cluster's own service, restores them when they are deleted, and keeps this server in the
 * service's endpoints until it stops.
 */
export function bootstrapController(options: BootstrapControllerOptions): PostStartHook {
  const { logger, stopping, clock } = options;
  let repairing = false;
  const objects: PostStartHook = {
    name: "bootstrap-controller",
    async run(context) {
      if (!repairing) {
        await options.repairs.runOnce(context.registry);
        void options.repairs.run(context.registry, context.signal);
        repairing = true;
      }
      const { service } = options;
      if (service !== undefined) await publishClusterService(context.registry, service);
    },
  };
  return {
    name: objects.name,
    async run(context) {
      const signal = AbortSignal.any([context.signal, stopping]);
      await keepEnsured(objects, clock).run({ ...context, signal });
      const { endpoints } = options;
      if (endpoints === undefined || stopping.aborted) return;
      await keepReconciled(endpoints, { logger, signal: stopping });
    },
  };
}
