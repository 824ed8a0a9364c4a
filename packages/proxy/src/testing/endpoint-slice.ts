import type { core, discovery } from "@orchernetes/api";

/** An endpoint of a test: an address with what differs from a ready endpoint on no node in particular. */
export interface TestEndpoint {
  readonly address: string;
  readonly node?: string;
  readonly conditions?: discovery.EndpointConditions;
  /** Zones that the endpoint is hinted for. */
  readonly zones?: readonly string[];
}

/**
 * A slice of a service with the service's ports. The target ports must be numbers.
 *
 * @param name distinguishes the slices of a service. Default: the family
 */
export function endpointSlice(
  service: core.Service,
  endpoints: readonly (string | TestEndpoint)[],
  name?: string,
): discovery.EndpointSlice {
  const list = endpoints.map((endpoint) => (typeof endpoint === "string" ? { address: endpoint } : endpoint));
  const addressType = list[0]?.address.includes(":") ? "IPv6" : "IPv4";
  const { namespace = "default", name: serviceName = "" } = service.metadata;
  return {
    apiVersion: "discovery.o8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      namespace,
      name: `${serviceName}-${name ?? addressType.toLowerCase()}`,
      labels: { "orchernetes.io/service-name": serviceName },
    },
    addressType,
    endpoints: list.map(({ address, node, conditions = { ready: true }, zones }) => ({
      addresses: [address],
      conditions,
      ...(node === undefined ? {} : { nodeName: node }),
      ...(zones === undefined ? {} : { hints: { forZones: zones.map((zone) => ({ name: zone })) } }),
    })),
    ports: (service.spec.ports ?? []).map(({ name: port = "", protocol = "TCP", port: number, targetPort }) => ({
      name: port,
      protocol,
      port: typeof targetPort === "number" ? targetPort : number,
    })),
  };
}
