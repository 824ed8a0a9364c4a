import type { core, discovery } from "@orchernetes/api";

/** The label of an EndpointSlice that names its service. */
export const SERVICE_NAME_LABEL = "orchernetes.io/service-name";

/**
 * The objects that the zone is made of. All lookups are by key and take constant time; the objects are not modified.
 * Addresses are given as {@link canonicalAddress} writes them.
 */
export interface ClusterObjects {
  /** Whether every object has been read once. Until then an absent object does not mean that a name does not exist. */
  hasSynced(): boolean;
  hasNamespace(name: string): boolean;
  service(namespace: string, name: string): core.Service | undefined;
  /** The slices whose label {@link SERVICE_NAME_LABEL} names the service. */
  endpointSlices(namespace: string, service: string): readonly discovery.EndpointSlice[];
  /** Services with this cluster IP; at most one, except while an address moves from a service to another. */
  servicesAt(address: string): readonly core.Service[];
  /** Slices that have this address. */
  endpointSlicesAt(address: string): readonly discovery.EndpointSlice[];
  /** Pods with this address; only called if the names of pods are verified. */
  podsAt(address: string): readonly core.Pod[];
}
