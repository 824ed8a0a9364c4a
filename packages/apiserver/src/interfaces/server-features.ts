/**
 * Parts of the generic server that feature gates switch, one for each gate. They are fixed when the server is created:
 * no request looks up a gate.
 */
export interface ServerFeatures {
  /** Gate APIListChunking: `limit` and `continue` of lists have an effect; otherwise every list is whole. */
  readonly listChunking: boolean;
  /** Gate RemainingItemCount: pages of a list without selectors contain the number of remaining objects. */
  readonly remainingItemCount: boolean;
  /** Gate APIResponseCompression: long answers to reads are compressed for clients that accept gzip. */
  readonly responseCompression: boolean;
  /** Gate StorageVersionHash: discovery contains hashes that identify the versions of stored objects. */
  readonly storageVersionHash: boolean;
  /** Gate OpenAPIEnums: OpenAPI documents list the values of fields that have a fixed set of them. */
  readonly openApiEnums: boolean;
  /** Gate AggregatedDiscoveryEndpoint: `/api` and `/apis` respond with one document about all resources if it is requested. */
  readonly aggregatedDiscovery: boolean;
  /** Gate WatchList: watches may ask for `sendInitialEvents`. On by default here, while Kubernetes 1.27 has it off. */
  readonly watchList: boolean;
  /** Gate WatchFromStorageWithoutResourceVersion: watches without resourceVersion are served from the store. */
  readonly watchFromStorage: boolean;
  /** Gate UnauthenticatedHTTP2DOSMitigation: HTTP/2 connections end after the answer to a request of someone unknown. */
  readonly leaveUnauthenticated: boolean;
}

/** The defaults. */
export const defaultServerFeatures: ServerFeatures = Object.freeze({
  listChunking: true,
  remainingItemCount: true,
  responseCompression: true,
  storageVersionHash: true,
  openApiEnums: true,
  aggregatedDiscovery: true,
  watchList: true,
  watchFromStorage: false,
  leaveUnauthenticated: false,
});
