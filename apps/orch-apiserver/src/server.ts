import { setTimeout as sleep } from "node:timers/promises";
import type { ResourceDefinition } from "@orchernetes/apimachinery";
import type { ApiServer, RequestInfo } from "@orchernetes/apiserver";
import { addFeatureMetrics, type DaemonContext, features, type SecureServing } from "@orchernetes/component";
import type { Audit } from "./audit/create-audit.ts";
import type { Config } from "./config.ts";
import { createEndpointReconciler, leaveEndpoints } from "./endpoints/create-endpoint-reconciler.ts";
import type { EndpointReconciler } from "./endpoints/endpoint-reconciler.ts";
import { createFlowController } from "./flow-control.ts";
import { apiMetrics } from "./metrics/api-metrics.ts";
import { addStoreMetrics } from "./metrics/store-metrics.ts";
import { externalAddress } from "./server-names.ts";
import { createApi } from "./stages/api-stage.ts";
import { openAudit } from "./stages/audit-stage.ts";
import { createBootstrap } from "./stages/bootstrap-stage.ts";
import { createConnections } from "./stages/connections-stage.ts";
import { createIdentity } from "./stages/identity-stage.ts";
import { createPages } from "./stages/pages-stage.ts";
import { createPolicy } from "./stages/policy-stage.ts";
import { type ServerProcess, startProcess } from "./stages/process.ts";
import { createServedResources } from "./stages/resources-stage.ts";
import { openPort } from "./stages/serving-stage.ts";
import { openStorage, type StorageStage } from "./stages/storage-stage.ts";
import { createStorageVersions } from "./stages/storage-versions-stage.ts";
import { compactPeriodically } from "./storage/compaction.ts";

/** A server that answers requests. */
export interface RunningServer {
  readonly serving: SecureServing;
  readonly api: ApiServer;
  /** Shuts down gracefully: rejects new requests, finishes those in flight, then closes everything. Resolves when all is closed. */
  stop(): Promise<void>;
}

/**
 * Starts a server: creates the stages one after the other, each from the results of those before, opens the port, fills the watch caches,
 * and runs the post-start hooks. Until the caches are filled, `/readyz` fails. If the process is told to stop before that, the server is
 * returned without running the hooks.
 *
 * @throws Error of the stage that fails; the process then exits
 */
export async function startServer(config: Config, context: DaemonContext): Promise<RunningServer> {
  const end = new AbortController();
  const stopping = new AbortController();
  const daemon = await startProcess(config, context, { stopping: stopping.signal, ended: end.signal });
  const { flags, metrics } = daemon;
  const audit = await openAudit(daemon);

  const storage = await openStorage(daemon);
  const policy = createPolicy(daemon, storage);
  const served = await createServedResources(daemon, storage, policy);
  const { resources } = served;
  const { registry } = resources;
  const identity = await createIdentity(daemon, registry);
  const connections = await createConnections(daemon, served, registry);

  const measured = apiMetrics(metrics, (info) => servedResource(registry.definitions(), info), served.admissionMetrics);
  const observers = { metrics, inflight: measured, signal: end.signal };
  const flowControl = createFlowController(flags, observers, config.featureEnabled);
  const port = flags["secure-port"];
  const endpoints = createEndpointReconciler(config, { registry, store: storage.stores.main, port });
  const storageVersions = createStorageVersions(daemon, served);
  const hooks = createBootstrap(daemon, { policy, identity, connections, flowControl, endpoints, storageVersions });
  const address = externalAddress({
    hostname: flags["external-hostname"],
    advertiseAddress: config.advertiseAddress,
    port,
  });
  addFeatureMetrics(metrics, features, { enabled: config.featureEnabled });
  const shared = { storage, identity, connections, flowControl, externalAddress: address };
  const pages = await createPages(daemon, { ...shared, registry, hooks });
  const api = createApi(daemon, { ...shared, policy, resources, measured, pages, audit, storageVersions });

  const serving = await openPort(daemon, api, identity);
  daemon.logger.info("Serving securely", { address: `${serving.address}:${serving.port}` });
  // A cache that cannot be filled, because the store is down or a value cannot be decrypted, must not keep the server from stopping.
  await Promise.race([startStorage(daemon, storage, api), aborted(context.signal)]);
  if (!context.signal.aborted) hooks.run(registry, end.signal);
  return { serving, api, stop: () => stop(daemon, { api, serving, storage, endpoints, audit, stopping, end }) };
}

/** Resolves when the signal aborts. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });

/** Fills the watch caches, and starts the maintenance of the stores: compaction and metrics. */
async function startStorage(
  { config, flags, logger, metrics, ended: signal }: ServerProcess,
  { stores }: StorageStage,
  api: ApiServer,
): Promise<void> {
  for (const { compaction } of stores.all)
    compactPeriodically(compaction, { intervalMs: flags["etcd-compaction-interval"], logger, signal });
  await api.start();
  addStoreMetrics({
    metrics,
    stores,
    storages: () => api.storages(),
    countPeriodMs: flags["etcd-count-metric-poll-period"],
    sizePeriodMs: flags["etcd-db-metric-poll-interval"],
    logger,
    signal,
  });
  for (const size of config.watchCacheSizes.idle)
    logger.warn("A size of --watch-cache-sizes has no effect: caches grow as needed", { size });
}

/** Time in milliseconds for which the shutdown waits until the last audit events are delivered. */
const auditCloseMs = 10_000;

interface StoppedParts {
  readonly api: ApiServer;
  readonly serving: SecureServing;
  readonly storage: StorageStage;
  readonly endpoints: EndpointReconciler | undefined;
  readonly audit: Audit | undefined;
  readonly stopping: AbortController;
  readonly end: AbortController;
}

async function stop(
  { flags, logger }: ServerProcess,
  { api, serving, storage, endpoints, audit, stopping, end }: StoppedParts,
): Promise<void> {
  stopping.abort();
  api.beginShutdown();
  await Promise.all([sleep(flags["shutdown-delay-duration"]), leaveEndpoints(endpoints, logger)]);
  // With Retry-After the listener stays open: new clients are asked to retry instead of finding a closed port.
  if (!flags["shutdown-send-retry-after"]) serving.stopAccepting();
  await api.drain({ watchGraceMs: flags["shutdown-watch-termination-grace-period"] });
  // Requests that were on the wire before are still answered, so the caches live until the last connection is closed.
  await serving.drain(1000);
  await audit?.close(auditCloseMs);
  end.abort();
  await storage.stores.close();
}

/** Returns the resource of a request; undefined if it is not served, or has no such subresource. */
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
