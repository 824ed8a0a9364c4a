import type { core } from "@orchernetes/api";
import { addressesOf, type IpFamily } from "./addresses.ts";
import { limited, type Report, serviceLimits } from "./service-limits.ts";

/** The addresses of a service besides its cluster address, in one family. */
export interface ExternalAddresses {
  readonly externalIPs: readonly string[];
  readonly loadBalancerIPs: readonly string[];
}

/** Addresses that services may not have. */
export interface TakenAddresses {
  /** Addresses that are neither external ones nor load balancers'. */
  readonly reserved: { has(address: string): boolean };
  /** The node's own: a load balancer may use them, but who only creates services must not take over the node's ports. */
  readonly node: { has(address: string): boolean };
  /** Whether a load balancer may not have a port at the node's own addresses. @param service `namespace/name` of its service */
  isNodePort(service: string, protocol: string, port: number): boolean;
}

/** The addresses that a service may have of those that it names. */
export function externalAddresses(
  { spec, status }: core.Service,
  family: IpFamily,
  taken: TakenAddresses,
  report: Report,
): ExternalAddresses {
  const externalIPs = addressesOf(spec.externalIPs ?? [], family);
  const ingress = (status?.loadBalancer?.ingress ?? []).map(({ ip }) => ip);
  const loadBalancerIPs = addressesOf(ingress, family);
  const isReserved = (address: string) => taken.reserved.has(address);
  const isRefused = (address: string) => isReserved(address) || taken.node.has(address);
  return {
    externalIPs: allowed(externalIPs, isRefused, `${family} external addresses`, report),
    loadBalancerIPs: allowed(loadBalancerIPs, isReserved, `${family} load balancer addresses`, report),
  };
}

/**
 * The load balancer's addresses of each port of a service: at the node's own addresses, ports that are the node's are left out.
 *
 * @param addresses those that the service may have
 */
export function addressesByPort(
  { metadata, spec }: core.Service,
  addresses: readonly string[],
  taken: TakenAddresses,
  report: Report,
): ReadonlyMap<core.ServicePort, readonly string[]> {
  const ports = spec.ports ?? [];
  const elsewhere = addresses.filter((address) => !taken.node.has(address));
  const key = `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
  const refused =
    elsewhere.length === addresses.length
      ? []
      : ports.filter(({ protocol = "TCP", port }) => taken.isNodePort(key, protocol, port));
  const [first] = refused;
  if (first !== undefined) {
    const which = `${first.port}/${first.protocol ?? "TCP"}`;
    report(
      `${refused.length} of its ports are reserved on nodes and are not served at the node's addresses, such as ${which}`,
    );
  }
  const isRefused = new Set(refused);
  return new Map(ports.map((port) => [port, isRefused.has(port) ? elsewhere : addresses]));
}

function allowed(
  addresses: readonly string[],
  isRefused: (address: string) => boolean,
  what: string,
  report: Report,
): readonly string[] {
  const refused = addresses.filter(isRefused);
  if (refused.length > 0) {
    report(
      `${refused.length} of its ${what} belong to the cluster or to the node and are ignored, such as ${refused[0]}`,
    );
  }
  const left = refused.length === 0 ? addresses : addresses.filter((address) => !isRefused(address));
  return limited(left, serviceLimits.addresses, what, report);
}
