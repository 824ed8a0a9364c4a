import type { ConversionWebhooks } from "@orchernetes/apiextensions";
import type { Registry } from "@orchernetes/apiserver";
import { systemClock } from "@orchernetes/kernel";
import { type AggregationLayer, createAggregator } from "../aggregator/create-aggregator.ts";
import { addressAt } from "../allocators/ip-range.ts";
import { createDestinationResolver, type DestinationResolver } from "../dial/destination-resolver.ts";
import { ownListener } from "../dial/own-listener.ts";
import { conversionMetrics } from "../metrics/conversion-metrics.ts";
import { deprecatedCertificates } from "../metrics/deprecated-certificates.ts";
import { followNodeClient } from "../node-proxy/node-client.ts";
import { createNodeConnection, type NodeConnection } from "../node-proxy/node-connection.ts";
import { conversionWebhooks } from "../webhook/conversion-webhooks.ts";
import type { ServerProcess } from "./process.ts";
import type { ResourcesStage } from "./resources-stage.ts";

/** The connections that the server makes on behalf of clients. */
export interface ConnectionsStage {
  readonly destinations: DestinationResolver;
  readonly nodes: NodeConnection;
  readonly aggregation: AggregationLayer;
  /** The webhooks that convert custom resources. */
  readonly conversion: ConversionWebhooks;
}

/** Creates the connections to pods, services, nodes, extension servers and conversion webhooks. */
export async function createConnections(
  { config, flags, logger, metrics, egress, ended }: ServerProcess,
  { builtIn }: Pick<ResourcesStage, "builtIn">,
  registry: Registry,
): Promise<ConnectionsStage> {
  const isOwnListener = ownListener({
    bindAddress: flags["bind-address"],
    advertiseAddress: config.advertiseAddress,
    port: flags["secure-port"],
    aliases: config.serviceRanges.slice(0, 1).map((range) => ({ host: addressAt(range, 1n), port: 443 })),
  });
  const destinations = createDestinationResolver({ isOwnListener, dial: egress.dialer("cluster") });
  const nodes = createNodeConnection({
    client: await followNodeClient(flags, { logger, signal: ended }),
    preferredAddressTypes: flags["orchlet-preferred-address-types"],
    timeoutMs: flags["orchlet-timeout"],
    destinations,
  });
  const aggregation = createAggregator({
    flags,
    proxyClient: config.proxyClient,
    registry,
    destinations,
    builtIn,
    metrics,
    onDeprecated: deprecatedCertificates(metrics, "orch_aggregator"),
    logger,
    signal: ended,
  });
  const conversion = conversionWebhooks({
    registry,
    routing: flags["enable-aggregator-routing"] ? "endpoints" : "cluster-ip",
    destinations,
    dial: egress.dialer("controlplane"),
    clock: systemClock,
    observe: conversionMetrics(metrics),
    onDeprecated: deprecatedCertificates(metrics, "webhooks"),
    signal: ended,
  });
  return { destinations, nodes, aggregation, conversion };
}
