import type { discovery } from "@orchernetes/api";
import { type IpFamily, readAddress } from "./addresses.ts";
import { type Report, serviceLimits } from "./service-limits.ts";
import { isIgnoredByLabels, isPort, type Protocol, protocolOf } from "./service-ports.ts";

/** One address and port behind a service's port. */
export interface Endpoint {
  readonly address: string;
  readonly port: number;
  /** Whether it is on this node. */
  readonly isLocal: boolean;
  /** Whether the node is not known: it may be this one. */
  readonly isAnywhere: boolean;
  readonly isReady: boolean;
  /** Ready, or would be if it were not terminating. */
  readonly isServing: boolean;
  readonly isTerminating: boolean;
  /** Zones whose clients should use it. Empty: no hints. */
  readonly zones: readonly string[];
}

/** The endpoints of a service by port, as {@link endpointsKey} names it, without repetitions. */
export type EndpointsByPort = ReadonlyMap<string, readonly Endpoint[]>;

/** Names the endpoints of a port. */
export const endpointsKey = (protocol: Protocol, name: string): string => `${protocol}/${name}`;

/** Which endpoints are wanted. */
export interface EndpointsOptions {
  readonly family: IpFamily;
  /** The node whose endpoints are local. */
  readonly nodeName: string;
  /** The ports of the service, as {@link endpointsKey} names them: what else the slices have is left out. */
  readonly keys: ReadonlySet<string>;
}

/**
 * The endpoints of one family in the slices of a service. Of an endpoint only the first address is used, as all readers of
 * slices do: the others are the same backend. An endpoint that is in several slices counts once, as local if one says so.
 * What is beyond the limit for one service is left out and reported.
 */
export function endpointsByPort(
  slices: Iterable<discovery.EndpointSlice>,
  { family, nodeName, keys }: EndpointsOptions,
  report: Report,
): EndpointsByPort {
  const found = new Map<string, Map<string, Endpoint>>();
  let count = 0;
  for (const { key, backend, port } of expanded(slices, family, nodeName, keys)) {
    const endpoints = found.get(key) ?? new Map<string, Endpoint>();
    found.set(key, endpoints);
    const id = `${backend.address} ${port}`;
    const isNew = !endpoints.has(id);
    if (isNew && ++count > serviceLimits.endpoints) {
      report(`more than ${serviceLimits.endpoints} ${family} endpoints; the rest is not used`);
      break;
    }
    if (isNew || backend.isLocal) endpoints.set(id, { ...backend, port });
  }
  return new Map([...found].map(([key, endpoints]) => [key, [...endpoints.values()]]));
}

/** The addresses of ready endpoints on the node. */
export function localReadyAddresses(
  slices: Iterable<discovery.EndpointSlice>,
  family: IpFamily,
  nodeName: string,
): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { metadata, addressType, endpoints = [], ports } of slices) {
    if (addressType !== family || isIgnoredByLabels(metadata.labels) || !(ports ?? []).some(isUsablePort)) continue;
    for (const endpoint of endpoints) {
      const backend = readEndpoint(endpoint, family, nodeName);
      if (backend?.isLocal === true && backend.isReady) found.add(backend.address);
    }
  }
  return found;
}

type Backend = Omit<Endpoint, "port">;

/** One after the other: ports and endpoints are multiplied, and all of them might be too many to have at once. */
function* expanded(
  slices: Iterable<discovery.EndpointSlice>,
  family: IpFamily,
  nodeName: string,
  keys: ReadonlySet<string>,
): Generator<{ readonly key: string; readonly backend: Backend; readonly port: number }> {
  for (const { metadata, addressType, endpoints = [], ports } of slices) {
    if (addressType !== family || isIgnoredByLabels(metadata.labels)) continue;
    const wanted = (ports ?? []).filter(isUsablePort).flatMap(({ name, protocol = "TCP", port }) => {
      const key = endpointsKey(protocolOf(protocol), name);
      return keys.has(key) ? [{ key, port }] : [];
    });
    if (wanted.length === 0) continue;
    const backends = endpoints.flatMap((endpoint) => readEndpoint(endpoint, family, nodeName) ?? []);
    for (const { key, port } of wanted) for (const backend of backends) yield { key, backend, port };
  }
}

/** A port without a name field or number is "all ports", which no service has. */
const isUsablePort = (
  port: discovery.EndpointPort,
): port is discovery.EndpointPort & { readonly name: string; readonly port: number } =>
  port.name !== undefined && port.port !== undefined && isPort(port.port);

function readEndpoint(endpoint: discovery.Endpoint, family: IpFamily, node: string): Backend | undefined {
  const address = readAddress(endpoint.addresses[0] ?? "");
  if (address?.family !== family) return undefined;
  const { conditions, nodeName, hints } = endpoint;
  return {
    address: address.text,
    isLocal: nodeName === node,
    isAnywhere: (nodeName ?? "") === "",
    isReady: conditions?.ready ?? true,
    isServing: conditions?.serving ?? true,
    isTerminating: conditions?.terminating ?? false,
    zones: (hints?.forZones ?? []).map(({ name }) => name),
  };
}
