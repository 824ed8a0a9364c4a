import type { TypeDocumentation } from "@orchernetes/apimachinery";
import { listMetadata, objectMetadata, protocol } from "./phrases.ts";

/** Texts of the types in `types/endpoints.ts`. */
export const documentation: TypeDocumentation = {
  Endpoints: {
    "": "The addresses behind the service of the same name. Kept by a controller if the service has a selector, else by whoever made the service. EndpointSlices hold the same in parts and scale better; this object lists at most 1000 addresses.",
    metadata: objectMetadata,
    subsets:
      "Groups of addresses that offer the same ports. The endpoints of the service are all pairs of an address and a port of the same group.",
  },
  EndpointSubset: {
    "": "Addresses that share a set of ports. Each address combined with each port is an endpoint.",
    addresses: "Addresses that are ready for traffic.",
    notReadyAddresses:
      "Addresses that get no traffic for now, because the pod is starting, failing its readiness probe, or ending.",
    ports: "Ports that every address of the group serves. Names are required if there is more than one.",
  },
  EndpointAddress: {
    "": "One address behind a service.",
    ip: "The IP address. Loopback, link-local, link-local multicast and unspecified addresses are refused.",
    hostname: "Host name of the endpoint, under which the cluster's DNS serves it for a headless service.",
    nodeName: "Node that the endpoint runs on, for those who prefer endpoints close by.",
    targetRef: "The object that has the address, usually a pod.",
  },
  EndpointPort: {
    "": "One port behind a service.",
    name: "Name of the port, equal to that of the service port it belongs to. May be empty only if there is a single port.",
    port: "The port number on the endpoint, 1 to 65535.",
    protocol: `${protocol} Default TCP.`,
    appProtocol:
      "Application protocol that is spoken, as a hint for proxies: a standard service name such as http, or a name with a DNS prefix.",
  },
  EndpointsList: {
    "": "A list of Endpoints objects.",
    metadata: listMetadata,
    items: "The Endpoints objects.",
  },
};
