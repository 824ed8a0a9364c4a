import type { Aggregator, GroupVersion, Registry } from "@orchernetes/apiserver";
import type { Check, Metrics } from "@orchernetes/component";
import { type Logger, systemClock } from "@orchernetes/kernel";
import type { CertificateDeprecation } from "@orchernetes/tls";
import type { DestinationResolver } from "../dial/destination-resolver.ts";
import { identifyingHeaders, type RequestHeaderFlags } from "../node-proxy/identifying-headers.ts";
import type { PostStartHook } from "../post-start/hooks.ts";
import { ExtensionAggregator } from "./aggregator.ts";
import { aggregatorMetrics } from "./aggregator-metrics.ts";
import { ApiServiceTable } from "./api-service-table.ts";
import { Autoregistration } from "./autoregistration.ts";
import { AvailabilityController } from "./availability-controller.ts";
import { CustomGroupVersions } from "./custom-group-versions.ts";
import { ExtensionClient } from "./extension-client.ts";
import { ExtensionConnections, type ProxyClient } from "./extension-connections.ts";
import { followProxyClient } from "./proxy-client.ts";
import { ExtensionOpenApi } from "./remote-openapi.ts";

/** The flags that concern aggregation. */
interface AggregationFlags extends RequestHeaderFlags {
  readonly "enable-aggregator-routing": boolean;
  readonly "aggregator-reject-forwarding-redirect": boolean;
  readonly "proxy-client-cert-file": string;
  readonly "proxy-client-key-file": string;
}

/** Options of {@link createAggregator}. */
export interface CreateAggregatorOptions {
  readonly flags: AggregationFlags;
  /** The client certificate for extension servers, as it was at the start. */
  readonly proxyClient: ProxyClient | undefined;
  readonly registry: Registry;
  readonly destinations: DestinationResolver;
  /** Resources, or group versions, that are served regardless of the stored objects. */
  readonly builtIn: readonly GroupVersion[];
  readonly metrics: Metrics;
  /** Called for each request by what is deprecated in the certificate of the other server. */
  readonly onDeprecated: (what: CertificateDeprecation) => void;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** The aggregation layer: what forwards requests, and the hooks that keep its state up to date. */
export interface AggregationLayer {
  readonly aggregator: Aggregator;
  readonly hooks: readonly PostStartHook[];
  /** `autoregister-completion` */
  readonly completion: Check;
}

/** Creates the aggregation layer. It does nothing until its hooks run; their names are those of upstream. */
export function createAggregator(options: CreateAggregatorOptions): AggregationLayer {
  const { flags, registry, metrics, logger, signal } = options;
  const table = new ApiServiceTable();
  const logged = (message: string) => (error: unknown, name: string) =>
    logger.error(error, message, { apiService: name });
  const proxyClient = followProxyClient(
    { certFile: flags["proxy-client-cert-file"], keyFile: flags["proxy-client-key-file"] },
    options.proxyClient,
    { signal, onError: (error) => logged("The proxy's client certificate could not be read again")(error, "") },
  );
  const connections = new ExtensionConnections(proxyClient, options.destinations.dial);
  signal.addEventListener("abort", () => connections.close(), { once: true });
  const routing = flags["enable-aggregator-routing"] ? "endpoints" : "cluster-ip";
  const client = new ExtensionClient({ connections, registry, routing, destinations: options.destinations });
  const availability = new AvailabilityController({
    table,
    client,
    clock: systemClock,
    onUnavailable: aggregatorMetrics(metrics, table),
    onError: logged("An APIService could not be checked"),
  });
  const registration = new Autoregistration({
    table,
    builtIn: () => groupVersionsOf(options.builtIn),
    custom: new CustomGroupVersions(),
    onError: logged("An APIService could not be registered"),
  });
  const openApi = new ExtensionOpenApi({ table, client, clock: systemClock, signal });
  const aggregator = new ExtensionAggregator({
    table,
    availability,
    client,
    openApi,
    rejectRedirects: flags["aggregator-reject-forwarding-redirect"],
    identifying: identifyingHeaders(flags),
    onError: logged("The service of an APIService leads nowhere"),
    onDeprecated: options.onDeprecated,
  });
  let following: Promise<void> | undefined;
  const hooks: PostStartHook[] = [
    {
      name: "start-orch-aggregator-informers",
      run({ registry: stored, signal: until }) {
        following ??= table.follow(stored, until);
        return following;
      },
    },
    { name: "apiservice-registration-controller", run: () => table.synced() },
    {
      name: "apiservice-status-available-controller",
      async run({ registry: stored, signal: until }) {
        await table.synced();
        availability.start(stored, until);
      },
    },
    {
      name: "orch-apiserver-autoregistration",
      run: ({ registry: stored, signal: until }) => registration.run(stored, until),
    },
    // Documents are fetched on request, so these hooks wait only for the list of servers.
    { name: "apiservice-openapi-controller", run: () => table.synced() },
    { name: "apiservice-openapiv3-controller", run: () => table.synced() },
    { name: "apiservice-discovery-controller", run: () => table.synced() },
    // The files are followed from the start, so there is nothing left to do.
    ...(options.proxyClient === undefined
      ? []
      : [{ name: "aggregator-reload-proxy-client-cert", run: () => Promise.resolve() }]),
  ];
  return { aggregator, hooks, completion: registration.completion() };
}

/** Each group version once. */
function groupVersionsOf(resources: readonly GroupVersion[]): readonly GroupVersion[] {
  const found = new Map<string, GroupVersion>();
  for (const { group, version } of resources) found.set(`${group}/${version}`, { group, version });
  return [...found.values()];
}
