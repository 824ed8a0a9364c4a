import { core, discovery } from "@orchernetes/api";
import { type Client, createInformer, type Informer } from "@orchernetes/client";
import type { Logger } from "@orchernetes/kernel";

/** What the daemon follows of the cluster. */
export interface ClusterInformers {
  readonly services: Informer<core.Service>;
  readonly endpointSlices: Informer<discovery.EndpointSlice>;
  /** The node of this daemon alone. */
  readonly node: Informer<core.Node>;
  /** Runs all until the signal aborts. */
  run(signal: AbortSignal): void;
}

/**
 * Creates the informers. Services that other proxies serve are among them, because names resolve to them, too: whoever
 * makes rules passes over those with the labels of other proxies and of headless services.
 *
 * @param resyncMs `configSyncPeriod`
 */
export function clusterInformers(
  client: Client,
  options: { readonly nodeName: string; readonly resyncMs: number; readonly logger: Logger },
): ClusterInformers {
  const { nodeName, resyncMs, logger } = options;
  const services = createInformer<core.Service>(client, core.services, { logger, resyncMs });
  const endpointSlices = createInformer<discovery.EndpointSlice>(client, discovery.endpointSlices, {
    logger,
    resyncMs,
  });
  const node = createInformer<core.Node>(client, core.nodes, {
    logger,
    resyncMs,
    fieldSelector: `metadata.name=${nodeName}`,
  });
  return {
    services,
    endpointSlices,
    node,
    run(signal) {
      for (const informer of [services, endpointSlices, node]) void informer.run(signal);
    },
  };
}
