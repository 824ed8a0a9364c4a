import { isIP } from "node:net";
import type { Frontend } from "@orchernetes/proxy";
import { inRanges } from "../host/address-ranges.ts";
import { loopbackAddressOf } from "./loopback-address.ts";
import type { Route } from "./route.ts";

/**
 * Where frontends are served in user space: cluster addresses at the loopback addresses that stand for them, node ports at
 * the given addresses, others at themselves. Frontends without endpoints have no route, so that connections to them are
 * refused; SCTP has none either.
 *
 * @param isInCluster whether an address is one of the host or of a pod
 */
export function* routesOf(
  frontends: Iterable<Frontend>,
  nodePortAddresses: readonly string[],
  isInCluster: (address: string) => boolean,
): Generator<Route> {
  const isOutside = (client: string) => !isInCluster(client);
  for (const frontend of frontends) {
    const { namespace, protocol, served, port } = frontend;
    if (served === undefined || served.endpoints.length === 0 || protocol === "sctp") continue;
    const { endpoints, localEndpoints, affinitySeconds, sourceRanges, traffic } = served;
    const admits = sourceRanges === undefined ? () => true : inRanges(sourceRanges);
    const outside = traffic === "externalLocal" ? { outside: { endpoints: localEndpoints, isOutside } } : {};
    for (const address of addressesOf(frontend, nodePortAddresses))
      yield { namespace, protocol, address, port, endpoints, ...outside, affinitySeconds, admits };
  }
}

function addressesOf({ origin, address, family }: Frontend, nodePortAddresses: readonly string[]): readonly string[] {
  if (address === undefined) return nodePortAddresses.filter((local) => isIP(local) === (family === "IPv4" ? 4 : 6));
  if (origin !== "clusterIP") return [address];
  const loopback = loopbackAddressOf(address);
  return loopback === undefined ? [] : [loopback];
}
