import {
  type ApiMetrics,
  type ApiServer,
  type FlowController,
  type ServingOptions,
  serveResources,
} from "@orchernetes/apiserver";
import { version } from "@orchernetes/component";
import type { Audit } from "../audit/create-audit.ts";
import { leaseConditionOf } from "../handlers/lease-condition.ts";
import { createHandlers } from "../handlers/table.ts";
import { httpFilters } from "../http-filters.ts";
import { logsRequests, requestLog } from "../request-log.ts";
import type { StorageVersionPublisher } from "../storage-versions/storage-version-publisher.ts";
import type { ConnectionsStage } from "./connections-stage.ts";
import type { IdentityStage } from "./identity-stage.ts";
import type { PolicyStage } from "./policy-stage.ts";
import type { ServerProcess } from "./process.ts";
import { given } from "./process.ts";
import type { ResourcesStage } from "./resources-stage.ts";
import type { StorageStage } from "./storage-stage.ts";

/** The results of the stages before. */
export interface ApiParts {
  readonly storage: Pick<StorageStage, "engineChecks">;
  readonly policy: Pick<PolicyStage, "authorization">;
  readonly resources: ResourcesStage["resources"];
  readonly identity: Pick<IdentityStage, "authenticators" | "tokens" | "issuer">;
  readonly connections: ConnectionsStage;
  readonly flowControl: FlowController | undefined;
  readonly measured: ApiMetrics;
  readonly pages: NonNullable<ServingOptions["nonResource"]>;
  readonly audit: Pick<Audit, "recorder"> | undefined;
  readonly storageVersions: Pick<StorageVersionPublisher, "barrier"> | undefined;
  /** `HOST:PORT` at which clients reach the server. */
  readonly externalAddress: string;
}

/** Creates the API server of the resources. It gets no requests until the port is open. */
export function createApi({ config, flags, logger, loop, tracer, ended }: ServerProcess, parts: ApiParts): ApiServer {
  const { storage, policy, resources, identity, connections, flowControl } = parts;
  const { authorization } = policy;
  const { tokens, issuer } = identity;
  const { nodes, destinations, aggregation } = connections;
  return serveResources(resources, {
    filters: httpFilters(flags),
    ...given("flowControl", flowControl),
    authenticators: identity.authenticators,
    anonymousAuth: flags["anonymous-auth"],
    authorizers: authorization.authorizers,
    handlers: createHandlers({
      config,
      tokens,
      issuer,
      authorization,
      nodes,
      destinations,
      stores: storage.engineChecks,
    }),
    aggregator: aggregation.aggregator,
    nonResource: parts.pages,
    version: { ...version },
    // The texts are large, and most servers are never asked for them, so they are imported for the first OpenAPI document.
    documentation: async () => (await import("@orchernetes/api/documentation")).loadDocumentation(),
    logger,
    loop,
    metrics: parts.measured,
    ...given("tracer", tracer),
    limits: {
      maxRequestsInflight: flags["max-requests-inflight"],
      maxMutatingRequestsInflight: flags["max-mutating-requests-inflight"],
      requestTimeoutMs: flags["request-timeout"],
      minRequestTimeoutSeconds: flags["min-request-timeout"],
      maxConnectionBytesPerSec: flags["max-connection-bytes-per-sec"],
    },
    features: config.serverFeatures,
    deleteCollectionWorkers: flags["delete-collection-workers"],
    writeCondition: leaseConditionOf,
    shutdownSendRetryAfter: flags["shutdown-send-retry-after"],
    advertiseAddress: parts.externalAddress,
    ...given("writeBarrier", parts.storageVersions?.barrier),
    ...given("audit", parts.audit?.recorder),
    ...given("onCompleted", logsRequests(flags) ? requestLog(logger, Date.now) : undefined),
    signal: ended,
  });
}
