import type { discovery } from "@orchernetes/api";
import { type IpFamily, readAddress } from "./addresses.ts";
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

/**
 * The endpoints of one family in the slices of a service. Of an endpoint only the first address is used, as all readers of
 * slices do: the others are the same backend. An endpoint that is in several slices counts once, as local if one says so.
 */
export function endpointsByPort(
  slices: Iterable<discovery.EndpointSlice>,
  family: IpFamily,
  nodeName: string,
): EndpointsByPort {
  const found = new Map<string, Map<string, Endpoint>>();
  for (const { metadata, addressType, endpoints = [], ports } of slices) {
    if (addressType !== family || isIgnoredByLabels(metadata.labels)) continue;
    const backends = endpoints.flatMap((endpoint) => readEndpoint(endpoint, family, nodeName) ?? []);
    for (const { name, protocol = "TCP", port } of ports ?? []) {
      // A port without a name field or number is "all ports", which no service has.
      if (name === undefined || port === undefined || !isPort(port)) continue;
      addAll(found, endpointsKey(protocolOf(protocol), name), backends, port);
    }
  }
  return new Map([...found].map(([key, endpoints]) => [key, [...endpoints.values()]]));
}

type Backend = Omit<Endpoint, "port">;

function addAll(
  found: Map<string, Map<string, Endpoint>>,
  key: string,
  backends: readonly Backend[],
  port: number,
): void {
  const endpoints = found.get(key) ?? new Map<string, Endpoint>();
  found.set(key, endpoints);
  for (const backend of backends) {
    const id = `${backend.address} ${port}`;
    if (backend.isLocal || !endpoints.has(id)) endpoints.set(id, { ...backend, port });
  }
}

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
