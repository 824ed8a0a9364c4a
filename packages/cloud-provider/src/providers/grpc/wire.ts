import type { core } from "@orchernetes/api";
import type { CloudNode, CloudService, InstanceMetadata, Route } from "../../provider/cloud-provider.ts";
import type { CloudErrorCode } from "../../provider/cloud-result.ts";
import type { Fields } from "./protocol.ts";

/** gRPC status codes of errors. */
export const statusCodes: Readonly<Record<CloudErrorCode, number>> = {
  Canceled: 1,
  InvalidArgument: 3,
  DeadlineExceeded: 4,
  NotFound: 5,
  ImplementedElsewhere: 9,
  NotImplemented: 12,
  Internal: 13,
  InvalidAnswer: 13,
  Unavailable: 14,
};

const byStatus = new Map(Object.entries(statusCodes).map(([code, status]) => [status, code as CloudErrorCode]));

/** The error of a gRPC status code. */
export const errorCodeOf = (status: number): CloudErrorCode =>
  status === 13 ? "Internal" : (byStatus.get(status) ?? "Internal");

/** A node as JSON, without what no cloud needs and what can be long. */
export function nodeText({ metadata, status, ...node }: CloudNode): string {
  const { managedFields: _, ...meta } = metadata;
  const { images: __, ...state } = status ?? {};
  return JSON.stringify({ ...node, metadata: meta, status: state });
}

/** A service as JSON, without managed fields. */
export function serviceText({ metadata, ...service }: CloudService): string {
  const { managedFields: _, ...meta } = metadata;
  return JSON.stringify({ ...service, metadata: meta });
}

/** A list of messages; the guard checks what is in them. */
const listOf = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value : []);

const addressesOf = (value: unknown): readonly core.NodeAddress[] =>
  listOf(value).map(({ type, address }) => ({ type, address }) as unknown as core.NodeAddress);

/** Metadata of a message; undefined if there is none. */
export function metadataOf(value: unknown): InstanceMetadata | undefined {
  if (value === undefined) return undefined;
  const { providerId, instanceType, zone, region, addresses } = value as Fields;
  return {
    providerID: providerId,
    instanceType,
    zone,
    region,
    addresses: addressesOf(addresses),
  } as InstanceMetadata;
}

/** A status of a message; undefined if there is none. Empty texts are absent fields. */
export function statusOf(value: unknown): core.LoadBalancerStatus | undefined {
  if (value === undefined) return undefined;
  const ingress = listOf((value as Fields).ingress).map(({ ip, hostname }) => ({
    ...(ip ? { ip } : {}),
    ...(hostname ? { hostname } : {}),
  }));
  return { ingress: ingress as unknown as readonly core.LoadBalancerIngress[] };
}

/** A route of a message. */
export function routeOf(value: unknown): Route {
  const { destinationCidr, targetNodeAddresses, name, targetNode, enableNodeAddresses, blackhole } = (value ??
    {}) as Fields;
  return {
    name,
    targetNode,
    enableNodeAddresses,
    blackhole,
    destinationCIDR: destinationCidr,
    targetNodeAddresses: addressesOf(targetNodeAddresses),
  } as Route;
}

/** The message of a route. */
export const routeFields = ({ destinationCIDR, targetNodeAddresses, ...route }: Route): Fields => ({
  ...route,
  destinationCidr: destinationCIDR,
  targetNodeAddresses: targetNodeAddresses.map(({ type, address }) => ({ type, address })),
});

/** The routes of a message. */
export const routesOf = (value: unknown): readonly Route[] => listOf(value).map(routeOf);
