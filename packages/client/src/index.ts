/**
 * @module A client of the API server: requests and typed resource access (`createClient`), client configuration files,
 * informers with listers, and the event recorder. It imports no kind: resources are named by a `ResourceRef`, which every
 * resource definition is.
 */
export * from "./client.ts";
export * from "./config/client-config.ts";
export { ClientConfigError } from "./config/client-config-file.ts";
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
export * from "./transport/credentials.ts";
export * from "./transport/metrics.ts";
export * from "./transport/rate-limiter.ts";
export type { RawRequest, Requester } from "./transport/requester.ts";
export type { TransportResponse } from "./transport/transport.ts";
export { TransportError } from "./transport/transport-error.ts";
