/**
 * Cluster DNS.
 *
 * - {@link createZone}: the names of services, endpoints and pods, looked up in the objects of the cluster
 *   ({@link ClusterObjects}). It has no effects.
 * - {@link createDnsServer}: answers them over UDP and TCP, and forwards other questions to upstream servers.
 *
 * Packets are read and written by dns-packet; see ADR 25 for how.
 *
 * @example
 * ```ts
 * import { type ClusterObjects, createZone } from "@orchernetes/dns";
 *
 * declare const objects: ClusterObjects;
 * const zone = createZone({ domain: "cluster.local", addresses: ["10.96.0.10"], objects, serial: () => 1 });
 * const answer = zone.lookUp("web.default.svc.cluster.local", "A");
 * if (answer.kind === "records") console.log(answer.answers);
 * ```
 *
 * @module
 */
export type { DnsMetrics } from "./metrics.ts";
export { canonicalAddress } from "./names/address-name.ts";
export { createDnsServer, type DnsLimits, type DnsServer, type DnsServerOptions } from "./server/dns-server.ts";
export type { UpstreamAddress } from "./upstream/exchange.ts";
export { type ClusterObjects, SERVICE_NAME_LABEL } from "./zone/cluster-objects.ts";
export type { PodNames } from "./zone/found-name.ts";
export { createZone, type Zone, type ZoneOptions } from "./zone/zone.ts";
