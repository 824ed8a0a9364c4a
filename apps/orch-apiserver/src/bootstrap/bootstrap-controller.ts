import type { Logger } from "@orchernetes/component";
import type { RepairLoop } from "../allocators/repair-loop.ts";
import { type EndpointReconciler, keepReconciled } from "../endpoints/endpoint-reconciler.ts";
import { type ClusterServiceOptions, publishClusterService } from "./cluster-service.ts";
import type { PostStartHook } from "./hook.ts";
import { systemNamespaces } from "./system-namespaces.ts";

/** What {@link bootstrapController} sets up. */
export interface BootstrapControllerOptions {
  /** Known when the server listens. */
  readonly service: () => ClusterServiceOptions | undefined;
  /** Undefined: endpoints are someone else's. */
  readonly endpoints: () => EndpointReconciler | undefined;
  /** Makes and repairs what allocations of services rest on. */
  readonly repairs: Pick<RepairLoop, "runOnce" | "run">;
  readonly logger: Logger;
  /** Aborts when the server is asked to stop. */
  readonly stopping: AbortSignal;
}

/** Makes the system namespaces, the ranges of services and the cluster's own service, and keeps this server among its endpoints until it is to stop. */
export function bootstrapController(options: BootstrapControllerOptions): PostStartHook {
  let repairing = false;
  return {
    name: systemNamespaces.name,
    async run(context) {
      await systemNamespaces.run(context);
      await options.repairs.runOnce(context.registry);
      if (!repairing) void options.repairs.run(context.registry, context.signal);
      repairing = true;
      const service = options.service();
      if (service !== undefined) await publishClusterService(context.registry, service);
      const endpoints = options.endpoints();
      if (endpoints === undefined || options.stopping.aborted) return;
      await keepReconciled(endpoints, { logger: options.logger, signal: options.stopping });
    },
  };
}
