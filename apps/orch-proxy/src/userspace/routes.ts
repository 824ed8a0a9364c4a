import { BlockList, isIP } from "node:net";
import type { Frontend } from "@orchernetes/proxy";
import { loopbackAddressOf } from "./loopback-address.ts";
import type { Route } from "./route.ts";

/**
 * Where frontends are served in user space: cluster addresses at the loopback addresses that stand for them, node ports at
 * the given addresses, others at themselves. Frontends without endpoints have no route, so that connections to them are
 * refused; SCTP has none either.
 */
export function* routesOf(frontends: Iterable<Frontend>, nodePortAddresses: readonly string[]): Generator<Route> {
  for (const frontend of frontends) {
    const { protocol, served, port } = frontend;
    if (served === undefined || served.endpoints.length === 0 || protocol === "sctp") continue;
    const { endpoints, affinitySeconds, sourceRanges } = served;
    const admits = sourceRanges === undefined ? () => true : admitting(sourceRanges);
    for (const address of addressesOf(frontend, nodePortAddresses))
      yield { protocol, address, port, endpoints, affinitySeconds, admits };
  }
}

function addressesOf({ origin, address, family }: Frontend, nodePortAddresses: readonly string[]): readonly string[] {
  if (address === undefined) return nodePortAddresses.filter((local) => isIP(local) === (family === "IPv4" ? 4 : 6));
  if (origin !== "clusterIP") return [address];
  const loopback = loopbackAddressOf(address);
  return loopback === undefined ? [] : [loopback];
}

/** @param ranges in CIDR notation */
function admitting(ranges: readonly string[]): Route["admits"] {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = "", bits] = range.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    list.addSubnet(address, Number(bits ?? (family === "ipv6" ? 128 : 32)), family);
  }
  return (client) => list.check(client, isIP(client) === 6 ? "ipv6" : "ipv4");
}
