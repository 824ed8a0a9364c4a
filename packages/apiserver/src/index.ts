/**
 * The generic API server: filters, REST handlers, registry, discovery, OpenAPI. It knows no kind by name: everything
 * it serves comes from resource definitions, and everything it decides from the authenticators, authorizers, admission
 * plugins and handlers it is given.
 *
 * @example
 * ```ts
 * import { type ApiServerOptions, createApiServer } from "@orchernetes/apiserver";
 *
 * async function startServer(options: ApiServerOptions) {
 *   const server = createApiServer(options);
 *   await server.start(); // all caches are filled
 *   return server;
 * }
 * ```
 *
 * @module
 */

export { AuditAnnotations } from "./audit/annotations.ts";
export { AuditEvent } from "./audit/event.ts";
export { type AuditEventFields, SharedTexts } from "./audit/event-fields.ts";
export {
  type AuditPolicy,
  AuditPolicyEvaluator,
  type AuditRule,
  type AuditStage,
} from "./audit/policy.ts";
export { createPolicyRecorder } from "./audit/policy-recorder.ts";
export type { AuditCounts, AuditSink } from "./audit/policy-recorder-options.ts";
export type { AuditedRequest, AuditRecorder, RequestAudit } from "./audit/recorder.ts";
export { compareVersions } from "./discovery/groups.ts";
export { cors, type Pattern } from "./filters/cors.ts";
export { goaway, isHstsDirective, strictTransportSecurity } from "./filters/http-filters.ts";
export type {
  FlowControlConfiguration,
  FlowSchemaConfiguration,
  PriorityLevelConfiguration,
} from "./flow-control/configuration.ts";
export { flowControlDump } from "./flow-control/dump.ts";
export { FlowController, type FlowControllerOptions, type FlowControlMetrics } from "./flow-control/flow-controller.ts";
export { readBody } from "./http/body.ts";
export { isTrue, parseRequestInfo } from "./http/request-info.ts";
export * from "./interfaces/index.ts";
export { convertObject } from "./registry/convert-object.ts";
export { parseListOptions } from "./registry/list-options.ts";
export { createApiServer, serveResources } from "./server/api-server.ts";
export { informerSyncCheck } from "./server/health-checks.ts";
export { createResources, type Resources } from "./server/resources.ts";
export * from "./server/server-options.ts";
