import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { disabledFields, servedResources } from "@orchernetes/api";
import { customResourceDefinitions } from "@orchernetes/apiextensions";
import type { ResourceDefinition } from "@orchernetes/apimachinery";
import { type ApiServer, createApiServer, type RequestInfo, type StorageMediaType } from "@orchernetes/apiserver";
import {
  addFeatureMetrics,
  createDaemonMetrics,
  createPprofHandler,
  createSecureServing,
  type DaemonContext,
  features,
  type SecureServing,
  serveDebugSocket,
  startTracing,
  version,
} from "@orchernetes/component";
import { systemClock } from "@orchernetes/kernel";
import { generatePrivateKey } from "@orchernetes/tls";
import { admissionChain } from "./admission/chain.ts";
import { absentPlugins } from "./admission/plugins.ts";
import { createAggregator } from "./aggregator/create-aggregator.ts";
import { addressAt } from "./allocators/ip-range.ts";
import { eventRecorder } from "./allocators/record-event.ts";
import { RepairLoop } from "./allocators/repair-loop.ts";
import { serviceAllocation } from "./allocators/service-allocation.ts";
import { ServiceAllocator } from "./allocators/service-allocator.ts";
import { createAuthenticators, createTokenAuthenticator } from "./authentication/authenticators.ts";
import { followCredentials } from "./authentication/followed-credentials.ts";
import { type Authorization, createAuthorization } from "./authorization/authorizers.ts";
import { bootstrapController } from "./bootstrap/bootstrap-controller.ts";
import { authenticationInfo, clusterAuthenticationInfo } from "./bootstrap/cluster-authentication-info.ts";
import { customResourceHooks } from "./bootstrap/custom-resources.ts";
import { flowControlHooks } from "./bootstrap/flow-control-hooks.ts";
import type { PostStartHook } from "./bootstrap/hook.ts";
import { identityLeaseHooks } from "./bootstrap/identity-lease.ts";
import { keepEnsured } from "./bootstrap/keep-ensured.ts";
import { legacyTokenTracking } from "./bootstrap/legacy-token-tracking.ts";
import { systemPriorityClasses } from "./bootstrap/priority-classes.ts";
import { bootstrapRoles } from "./bootstrap/rbac/reconcile.ts";
import { postStartHooks } from "./bootstrap/run-hooks.ts";
import { systemNamespaces } from "./bootstrap/system-namespaces.ts";
import { type Config, serverIdentity } from "./config.ts";
import { createDialler } from "./dial/dialler.ts";
import { ownListener } from "./dial/own-listener.ts";
import { createEndpointReconciler, leaveEndpoints } from "./endpoints/create-endpoint-reconciler.ts";
import { externalAddress } from "./external-address.ts";
import { createFlowController, flowControlPages } from "./flow-control.ts";
import { createHandlers } from "./handlers/table.ts";
import { httpFilters } from "./http-filters.ts";
import { watchLog } from "./log-check.ts";
import { addAllocatorMetrics, allocationMetrics, repairMetrics } from "./metrics/allocator-metrics.ts";
import { apiMetrics } from "./metrics/api-metrics.ts";
import { certificateMetric } from "./metrics/certificate-metric.ts";
import { encryptionMetrics } from "./metrics/encryption-metrics.ts";
import { handshakeMetric } from "./metrics/handshake-metric.ts";
import { serviceAccountMetrics } from "./metrics/service-account-metrics.ts";
import { followNodeClient } from "./node-proxy/node-client.ts";
import { createNodeConnection } from "./node-proxy/node-connection.ts";
import { nonResourceRoutes } from "./non-resource-routes.ts";
import { createProbes } from "./probes.ts";
import { logsRequests, requestLog } from "./request-log.ts";
import { selfSignedHosts } from "./self-signed-hosts.ts";
import { openIdConfiguration } from "./service-accounts/discovery-document.ts";
import { signingKeyOf } from "./service-accounts/signing-key.ts";
import { createTokenIssuer } from "./service-accounts/token-issuer.ts";
import { compactPeriodically } from "./storage/compaction.ts";
import { openEncryption } from "./storage/encryption.ts";
import { storeChecks, storeReadyChecks } from "./storage/store-checks.ts";
import { addStoreMetrics, storeRequestMetrics } from "./storage/store-metrics.ts";
import { openStores } from "./storage/stores.ts";

/** A server that answers requests. */
export interface RunningServer {
  readonly serving: SecureServing;
  readonly api: ApiServer;
  /** Goes through the shutdown sequence of the document's section 3; resolves when everything is closed. */
  stop(): Promise<void>;
}

/** Watches the objects that authorization and admission depend on; its check passes once all are synced. */
function startFollowing(authorization: Authorization): PostStartHook {
  return {
    name: "start-orch-apiserver-admission-initializer",
    async run({ registry, signal }) {
      await authorization.follow(registry, signal);
    },
  };
}

/** Hooks run when the caches have the store's state and objects are being counted, so there is nothing left to wait for. */
const startedBefore: readonly PostStartHook[] = [
  "generic-apiserver-start-informers",
  "storage-object-count-tracker-hook",
].map((name) => ({ name, run: () => Promise.resolve() }));

/** Builds the object graph, opens the port, and starts the post-start work. */
export async function startServer(config: Config, context: DaemonContext): Promise<RunningServer> {
  const { flags } = config;
  const { logger } = context;
  const end = new AbortController();
  const stopping = new AbortController();
  const stores = await openStores(config.store, logger);
  const metrics = createDaemonMetrics(flags, end.signal);
  const tracer =
    config.tracing === undefined
      ? undefined
      : await startTracing({ service: "apiserver", configuration: config.tracing, logger, signal: end.signal });
  const observed = storeRequestMetrics(metrics, tracer);
  const encryption = await openEncryption(
    flags,
    { logger, metrics: encryptionMetrics(metrics), kmsV2: config.featureEnabled("KMSv2") },
    end.signal,
  );

  const signingKey =
    config.serviceAccounts.signingKey ?? signingKeyOf(await generatePrivateKey("ecdsa-p256"), "the generated key");
  const keys = [...config.serviceAccounts.verifyingKeys, signingKey];
  const issuer = createTokenIssuer({
    key: signingKey,
    issuer: config.serviceAccounts.issuers[0] ?? "",
    defaultAudiences: config.serviceAccounts.audiences,
    clock: systemClock,
  });
  const registry = () => api.registry;
  const credentials = await followCredentials(flags, { logger, signal: end.signal });
  const tokens = createTokenAuthenticator(config, {
    keys,
    credentials,
    registry,
    counts: serviceAccountMetrics(metrics),
    logger,
  });
  const authorization = createAuthorization(config);
  const allocator = new ServiceAllocator({
    ranges: config.serviceRanges,
    ports: config.nodePorts,
    staticPorts: config.featureEnabled("ServiceNodePortStaticSubrange"),
    store: stores.main,
    observer: allocationMetrics(metrics),
  });
  addAllocatorMetrics(metrics, allocator);
  const repairs = new RepairLoop({
    allocator,
    observer: repairMetrics(metrics),
    logger,
    recordEvent: eventRecorder({ instance: serverIdentity(), now: () => new Date() }),
    now: Date.now,
  });
  const isOwnListener = ownListener({
    bindAddress: flags["bind-address"],
    advertiseAddress: config.advertiseAddress,
    port: () => serving.port,
    aliases: config.serviceRanges.slice(0, 1).map((range) => ({ host: addressAt(range, 1n), port: 443 })),
  });
  const dialler = createDialler({ isOwnListener });
  const nodes = createNodeConnection({
    client: await followNodeClient(flags, { logger, signal: end.signal }),
    preferredAddressTypes: flags["orchlet-preferred-address-types"],
    timeoutMs: flags["orchlet-timeout"],
    dialler,
  });

  const measured = apiMetrics(metrics, (info) => servedResource(api.registry.definitions(), info));
  const observers = { metrics, inflight: measured, signal: end.signal };
  const flowControl = createFlowController(flags, observers, config.featureEnabled);
  const aggregation = createAggregator({
    flags,
    proxyClient: config.proxyClient,
    registry,
    dialler,
    builtIn: () => resources.served,
    metrics,
    logger,
    signal: end.signal,
  });
  const [serviceRange] = config.serviceRanges;
  const hooks = postStartHooks(
    [
      ...startedBefore,
      startFollowing(authorization),
      keepEnsured(systemNamespaces, systemClock),
      bootstrapController({
        service: () =>
          serviceRange && { serviceRange, port: serving.port, nodePort: flags["orchernetes-service-node-port"] },
        endpoints: () => endpoints,
        repairs,
        clock: systemClock,
        logger,
        stopping: stopping.signal,
      }),
      bootstrapRoles,
      systemPriorityClasses,
      ...customResourceHooks({ servers: flags["apiserver-count"], clock: systemClock, logger }),
      ...aggregation.hooks,
      ...(config.featureEnabled("APIServerIdentity")
        ? identityLeaseHooks({ hostname: serverIdentity(), clock: systemClock })
        : []),
      legacyTokenTracking({
        enabled: config.featureEnabled("LegacyServiceAccountTokenTracking"),
        clock: systemClock,
      }),
      ...flowControlHooks(flowControl),
      keepEnsured(
        clusterAuthenticationInfo(() => authenticationInfo(flags, credentials)),
        systemClock,
      ),
    ],
    logger,
  );
  const engineChecks = storeChecks(stores.all, flags["etcd-healthcheck-timeout"]);
  const resources = await servedResources(config.enablement, config.featureEnabled, [
    customResourceDefinitions as unknown as ResourceDefinition,
  ]);
  for (const warning of [...config.warnings, ...resources.warnings]) logger.warn(warning);
  const outside = externalAddress({
    hostname: flags["external-hostname"],
    advertiseAddress: config.advertiseAddress,
    port: flags["secure-port"],
  });
  const holder: { routes?: ReturnType<typeof nonResourceRoutes> } = {};
  const api = createApiServer({
    definitions: resources.served,
    unservedDefinitions: resources.unserved,
    store: stores.main,
    ...optional(
      "storageMediaType",
      context.explicit.has("storage-media-type") ? (flags["storage-media-type"] as StorageMediaType) : undefined,
    ),
    storeFor: (definition) => {
      const store = observed(definition, stores.storeOf(definition));
      return encryption?.storeFor(definition, store) ?? store;
    },
    watchCache: ({ group, plural }) => flags["watch-cache"] && !config.watchCacheSizes.off.has(`${group}/${plural}`),
    enableGarbageCollector: flags["enable-garbage-collector"],
    filters: httpFilters(flags),
    ...optional("flowControl", flowControl),
    authenticators: createAuthenticators(config, { tokens, credentials, onCertificate: certificateMetric(metrics) }),
    anonymousAuth: flags["anonymous-auth"],
    authorizers: authorization.authorizers,
    alwaysAllowPaths: [],
    admission: admissionChain(config.admissionPlugins, {
      flags,
      featureEnabled: config.featureEnabled,
      rights: authorization,
    }),
    writeHooks: [serviceAllocation(allocator, logger)],
    handlers: createHandlers({ config, tokens, issuer, authorization, nodes, dialler, stores: engineChecks }),
    aggregator: aggregation.aggregator,
    nonResource: (request) => holder.routes?.(request) ?? false,
    version: { ...version },
    // Imported when the first OpenAPI document is built: most servers are never asked for one.
    documentation: async () => (await import("@orchernetes/api/documentation")).loadDocumentation(),
    logger,
    metrics: measured,
    ...optional("tracer", tracer),
    limits: {
      maxRequestsInflight: flags["max-requests-inflight"],
      maxMutatingRequestsInflight: flags["max-mutating-requests-inflight"],
      requestTimeoutMs: flags["request-timeout"],
      minRequestTimeoutSeconds: flags["min-request-timeout"],
      maxConnectionBytesPerSec: flags["max-connection-bytes-per-sec"],
    },
    eventTtlSeconds: Math.floor(flags["event-ttl"] / 1000),
    featureEnabled: config.featureEnabled,
    features: config.serverFeatures,
    disabledFields: (definition) => disabledFields(definition, config.featureEnabled),
    allowPrivileged: flags["allow-privileged"],
    deleteCollectionWorkers: flags["delete-collection-workers"],
    shutdownSendRetryAfter: flags["shutdown-send-retry-after"],
    advertiseAddress: outside,
    ...optional("onCompleted", logsRequests(flags) ? requestLog(logger, Date.now) : undefined),
    signal: end.signal,
  });
  addFeatureMetrics(metrics, features, { enabled: config.featureEnabled });
  const health = createProbes({
    metrics,
    api,
    log: watchLog(process.stderr, end.signal),
    stores: [...engineChecks, ...(encryption?.checks ?? [])],
    storesReady: storeReadyChecks(stores.all, flags["etcd-readycheck-timeout"]),
    hooks: [...hooks.checks, aggregation.completion],
    stopping: stopping.signal,
    livezGraceMs: flags["livez-grace-period"],
    logger,
  });
  const pprof = createPprofHandler({ contention: flags["contention-profiling"] });
  const pages = flowControl === undefined ? [] : [flowControlPages(flowControl)];
  const debug = flags.profiling ? [pprof, ...pages] : pages;
  if (flags["debug-socket-path"] !== "") {
    const handlers = [pprof, ...pages];
    await serveDebugSocket({ path: flags["debug-socket-path"], handlers, logger, signal: end.signal });
  }
  holder.routes = nonResourceRoutes({
    health,
    debug,
    metrics,
    slis: config.featureEnabled("ComponentSLIs"),
    definitions: () => [...api.registry.definitions(), ...aggregation.aggregator.groupVersions()],
    documents: openIdConfiguration({
      issuer: config.serviceAccounts.issuers[0] ?? "",
      keys,
      ...optional("jwksUri", flags["service-account-jwks-uri"] || undefined),
      externalBase: `https://${outside}`,
    }),
  });

  const clientCaFiles = [flags["client-ca-file"], flags["requestheader-client-ca-file"]].filter((file) => file !== "");
  const serving = await createSecureServing(
    {
      bindAddress: flags["bind-address"],
      port: flags["secure-port"],
      tls: {
        ...optional("certFile", flags["tls-cert-file"] || undefined),
        ...optional("keyFile", flags["tls-private-key-file"] || undefined),
        certDir: flags["cert-dir"],
        pairName: "apiserver",
        selfSignedHosts: selfSignedHosts({
          bindAddress: flags["bind-address"],
          advertiseAddress: config.advertiseAddress,
          ...optional("serviceAddress", serviceRange && addressAt(serviceRange, 1n)),
        }),
        sniCertKeys: flags["tls-sni-cert-key"],
        cipherSuites: flags["tls-cipher-suites"],
        ...optional("minVersion", flags["tls-min-version"] || undefined),
        clientCaFiles,
      },
      onHandshakeError: handshakeMetric(metrics),
      http2MaxStreams: flags["http2-max-streams-per-connection"],
      reusePort: flags["permit-port-sharing"],
      logger,
      signal: end.signal,
    },
    (request, response) => api.handleRequest(request, response),
  );
  credentials.endConnectionsOf(serving);
  serving.server.on("upgrade", (request, socket, head) => api.handleUpgrade(request, socket, head));
  serving.server.on("clientError", (error: Error, socket: Duplex) => api.handleClientError(error, socket));
  const absent = absentPlugins(flags["disable-admission-plugins"]);
  if (absent.length > 0)
    logger.warn("This server lacks admission plugins that run by default", { plugins: absent.join(",") });
  logger.info("Serving securely", { address: `${serving.address}:${serving.port}` });
  for (const { compaction } of stores.all)
    compactPeriodically(compaction, { intervalMs: flags["etcd-compaction-interval"], logger, signal: end.signal });
  await api.start();
  addStoreMetrics({
    metrics,
    stores,
    storages: () => api.storages(),
    countPeriodMs: flags["etcd-count-metric-poll-period"],
    sizePeriodMs: flags["etcd-db-metric-poll-interval"],
    logger,
    signal: end.signal,
  });
  for (const size of config.watchCacheSizes.idle)
    logger.warn("A size of --watch-cache-sizes means nothing: caches grow as needed", { size });
  const endpoints = createEndpointReconciler(config, {
    registry: api.registry,
    store: stores.main,
    port: serving.port,
  });
  hooks.run(api.registry, end.signal);
  return {
    serving,
    api,
    async stop() {
      stopping.abort();
      api.beginShutdown();
      await Promise.all([sleep(flags["shutdown-delay-duration"]), leaveEndpoints(endpoints, logger)]);
      // With Retry-After the listener stays: new clients are told to come back instead of finding a closed port.
      if (!flags["shutdown-send-retry-after"]) serving.stopAccepting();
      await api.drain({ watchGraceMs: flags["shutdown-watch-termination-grace-period"] });
      // Requests that were on the wire before are still answered, so the caches live until the last connection is closed.
      await serving.drain(1000);
      end.abort();
      await stores.close();
    },
  };
}

/** The resource that a request is for; undefined when there is none, or not with such a subresource. */
function servedResource(
  definitions: readonly ResourceDefinition[],
  { apiGroup, apiVersion, resource, subresource }: RequestInfo,
): ResourceDefinition | undefined {
  const definition = definitions.find(
    ({ group, version, plural }) => group === apiGroup && version === apiVersion && plural === resource,
  );
  const known = subresource === "" || Object.hasOwn(definition?.subresources ?? {}, subresource);
  return known ? definition : undefined;
}

function optional<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [P in K]?: V });
}
