import type { core, discovery } from "@orchernetes/api";
import { localReadyAddresses } from "./endpoints.ts";
import { healthCheckNodePort } from "./service-ports.ts";

/** A port of the node that answers 200 while the service has endpoints on the node, and 503 otherwise. */
export interface HealthCheck {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
  /** Number of addresses of ready endpoints on the node. Terminating ones do not count: load balancers should turn away. */
  readonly localEndpoints: number;
}

/** The health check of a service; undefined if it has none. */
export function healthCheckOf(
  service: core.Service | undefined,
  slices: Iterable<discovery.EndpointSlice>,
  nodeName: string,
): HealthCheck | undefined {
  const port = service === undefined ? undefined : healthCheckNodePort(service);
  if (service === undefined || port === undefined) return undefined;
  const list = [...slices];
  const counts = (["IPv4", "IPv6"] as const).map((family) => localReadyAddresses(list, family, nodeName).size);
  const { namespace = "", name = "" } = service.metadata;
  return { namespace, name, port, localEndpoints: counts.reduce((sum, count) => sum + count, 0) };
}
