/**
 * A client of the API server: requests and typed access to resources, client configuration files, informers with listers, and
 * the event recorder. It imports no kind: a resource is identified by a {@link ResourceRef}, which every resource definition is.
 *
 * - {@link createClient} connects on first use. {@link loadClientConfig} reads its options from a client configuration file, and
 *   {@link inClusterConfig} from a pod's service account.
 * - Errors: an `ApiError` contains the Status of the server's response; a {@link TransportError} means that there was no usable
 *   response, and says whether the request was sent.
 * - {@link createInformerFactory} shares one cache per resource. Its {@link Lister}s return shared objects that must not be
 *   modified, and that lag behind the server.
 * - {@link createEventRecorder} writes events in the background; it never throws and never blocks the caller.
 *
 * @example
 * ```ts
 * import type { core } from "@orchernetes/api";
 * import { createClient, loadClientConfig } from "@orchernetes/client";
 *
 * const client = createClient(loadClientConfig(".orch/admin.orchconfig"));
 * const pods = client.resource<core.Pod>({ group: "", version: "v1", plural: "pods", kind: "Pod", scope: "Namespaced" });
 * const { metadata } = await pods.namespace("default").get("web");
 * for await (const event of pods.watch({ resourceVersion: metadata.resourceVersion ?? "" })) console.log(event.type);
 * client.close();
 * ```
 *
 * @module
 */
export * from "./client.ts";
export * from "./config/client-config.ts";
export { ClientConfigError, type ClientConfigFile, readClientConfigFile } from "./config/client-config-file.ts";
export { type ContentTypes, type GivenSettings, givenContentTypes } from "./content/content-types.ts";
export type { EventObject, EventType } from "./events/event-object.ts";
export * from "./events/event-recorder.ts";
export { createEventSeriesRecorder } from "./events/event-series-recorder.ts";
export * from "./events/object-reference.ts";
export { type Backoff, createBackoff } from "./informer/backoff.ts";
export * from "./informer/informer.ts";
export * from "./informer/informer-factory.ts";
export * from "./informer/lister.ts";
export { type ReflectorOptions, type ReflectorSink, runReflector } from "./informer/reflector.ts";
export * from "./resource/options.ts";
export type { ResourceClient, SubresourceClient } from "./resource/resource-client.ts";
export * from "./resource/resource-ref.ts";
export { secureOptions } from "./transport/agents.ts";
export type { BodyFormat } from "./transport/body-format.ts";
export * from "./transport/credentials.ts";
export * from "./transport/metrics.ts";
export * from "./transport/rate-limiter.ts";
export type { RawRequest, Requester } from "./transport/requester.ts";
export type { TransportResponse } from "./transport/transport.ts";
export { TransportError } from "./transport/transport-error.ts";
