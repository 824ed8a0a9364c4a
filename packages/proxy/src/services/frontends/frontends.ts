import { parseIp } from "@orchernetes/apimachinery";
import { type IpFamily, rangeContains } from "../objects/addresses.ts";
import type { Endpoint } from "../objects/endpoints.ts";
import type { Protocol, ServicePort } from "../objects/service-ports.ts";
import type { NodeFacts } from "../objects/settings.ts";
import type { UsableEndpoints } from "../objects/usable-endpoints.ts";

/** An address and port, or a port of the node, that a service is reached by, and what happens to traffic to it. */
export interface Frontend {
  /** Of its service. */
  readonly namespace: string;
  /** Names the port of the service: all its frontends have the same one. */
  readonly servicePort: string;
  readonly family: IpFamily;
  readonly origin: "clusterIP" | "externalIP" | "loadBalancer" | "nodePort";
  readonly protocol: Protocol;
  /** Undefined for a node port: the node's addresses. */
  readonly address: string | undefined;
  readonly port: number;
  /** Where new connections go; undefined if nothing takes them. */
  readonly served: Served | undefined;
  /** What happens to traffic that is not served: an ICMP error, or nothing at all. Undefined: all of it is served. */
  readonly otherwise: "refuse" | "drop" | undefined;
}

/** How a frontend is served. */
export interface Served {
  /**
   * - `internal`: a cluster address. The source address stays unless the client is outside of the cluster.
   * - `external`: the source address is replaced by the node's, because the endpoint may be on another node.
   * - `externalLocal`: as `external` for the node's own traffic; pods' traffic goes to all endpoints with its source address,
   *   and other traffic to the local endpoints with its source address.
   */
  readonly traffic: "internal" | "external" | "externalLocal";
  readonly endpoints: readonly Endpoint[];
  /** For traffic from outside, if `traffic` is `externalLocal`. */
  readonly localEndpoints: readonly Endpoint[];
  /** Seconds for which a client stays with an endpoint; undefined without affinity. */
  readonly affinitySeconds: number | undefined;
  /** Ranges in CIDR notation that clients must be in. Undefined: anywhere. */
  readonly sourceRanges: readonly string[] | undefined;
}

/** The frontends of a port. Several of them may be the same address: the first one counts, which is that of the first rank. */
export function* frontendsOf(
  port: ServicePort,
  family: IpFamily,
  usable: UsableEndpoints,
  node: NodeFacts,
): Generator<Frontend> {
  const external = externalTraffic(port, usable);
  const to = (origin: Frontend["origin"], address: string, traffic: Traffic): Frontend => ({
    namespace: port.namespace,
    servicePort: port.id,
    family,
    origin,
    protocol: port.protocol,
    address,
    port: port.port,
    ...traffic,
  });
  yield to("clusterIP", port.clusterIP, internalTraffic(port, usable));
  for (const address of port.loadBalancerIPs) yield to("loadBalancer", address, ranged(external, port, node, address));
  for (const address of port.externalIPs) yield to("externalIP", address, external);
  if (port.nodePort === undefined) return;
  const { namespace, id: servicePort, protocol, nodePort } = port;
  yield {
    namespace,
    servicePort,
    family,
    origin: "nodePort",
    protocol,
    address: undefined,
    port: nodePort,
    ...external,
  };
}

type Traffic = Pick<Frontend, "served" | "otherwise">;

function internalTraffic(port: ServicePort, { cluster, local, hasAny }: UsableEndpoints): Traffic {
  const endpoints = port.isInternalLocal ? local : cluster;
  // Endpoints elsewhere may be here soon: a client should try again, which a refusal would not make it do.
  if (endpoints.length === 0) return { served: undefined, otherwise: hasAny ? "drop" : "refuse" };
  return { served: served("internal", port, endpoints, []), otherwise: undefined };
}

function externalTraffic(port: ServicePort, { cluster, local, hasAny }: UsableEndpoints): Traffic {
  if (!hasAny) return { served: undefined, otherwise: "refuse" };
  if (!port.isExternalLocal) return { served: served("external", port, cluster, []), otherwise: undefined };
  return { served: served("externalLocal", port, cluster, local), otherwise: local.length > 0 ? undefined : "drop" };
}

const served = (
  traffic: Served["traffic"],
  { affinitySeconds }: ServicePort,
  endpoints: readonly Endpoint[],
  localEndpoints: readonly Endpoint[],
): Served => ({ traffic, endpoints, localEndpoints, affinitySeconds, sourceRanges: undefined });

/** Limits a load balancer's address to the source ranges. */
function ranged(traffic: Traffic, { sourceRanges }: ServicePort, node: NodeFacts, address: string): Traffic {
  if (traffic.served === undefined || sourceRanges.length === 0) return traffic;
  const nodeIPs = (node.addresses ?? []).flatMap((text) => {
    const bytes = parseIp(text);
    return bytes === undefined ? [] : [bytes];
  });
  // Load balancers often add their address to the node: what the node sends to it comes back with that address as source.
  const isNodeAllowed = sourceRanges.some((range) =>
    nodeIPs.some((bytes) => bytes.length === range.bytes.length && rangeContains(range, bytes)),
  );
  const isInside = sourceRanges.some((range) => rangeContains(range, parseIp(address) ?? []));
  const texts = sourceRanges.map(({ text }) => text);
  const allowed = isNodeAllowed && !isInside ? [...texts, address] : texts;
  return { served: { ...traffic.served, sourceRanges: allowed }, otherwise: "drop" };
}
