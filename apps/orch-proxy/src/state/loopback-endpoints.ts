import { networkInterfaces } from "node:os";
import type { discovery } from "@orchernetes/api";

const LOOPBACK: Readonly<Record<string, string>> = { IPv4: "127.0.0.1", IPv6: "::1" };

/**
 * Replaces endpoints at addresses of this host by its loopback address if their port is one at which a program listens there
 * alone, such as the API server of a cluster on one machine, whose Endpoints must not have loopback addresses.
 *
 * @param ports `loopbackPorts` of the configuration
 * @param hostAddresses @default all addresses of this host
 */
export function atLoopback<T extends discovery.EndpointSlice>(
  slice: T,
  ports: readonly number[],
  hostAddresses = addressesOfHost,
): T {
  const { addressType, endpoints = [] } = slice;
  const loopback = LOOPBACK[addressType];
  if (ports.length === 0 || loopback === undefined) return slice;
  if (!slice.ports?.some(({ port }) => port !== undefined && ports.includes(port))) return slice;
  const own = hostAddresses();
  const isOwn = ({ addresses }: discovery.Endpoint): boolean => own.has(addresses[0] ?? "");
  if (!endpoints.some(isOwn)) return slice;
  const addresses = [loopback];
  return {
    ...slice,
    endpoints: endpoints.map((endpoint) => (isOwn(endpoint) ? { ...endpoint, addresses } : endpoint)),
  };
}

const addressesOfHost = (): ReadonlySet<string> =>
  new Set(Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address)));
