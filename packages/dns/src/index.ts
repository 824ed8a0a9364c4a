/**
 * Cluster DNS: the names of services, endpoints and pods ({@link createZone}) over the objects of the cluster
 * ({@link ClusterObjects}).
 *
 * @module
 */
export { addressOfLabel, canonicalAddress } from "./names/address-name.ts";
export { type ClusterObjects, SERVICE_NAME_LABEL } from "./zone/cluster-objects.ts";
export type { PodNames } from "./zone/found-name.ts";
export { createZone, type Zone, type ZoneOptions } from "./zone/zone.ts";
export type { ZoneAnswer } from "./zone/zone-answer.ts";
