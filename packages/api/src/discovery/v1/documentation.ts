import type { TypeDocumentation } from "@orchernetes/apimachinery";

/** Texts of the types of discovery.o8s.io/v1. */
export const documentation: TypeDocumentation = {
  EndpointSlice: {
    "": "Some of the addresses behind a Service, which the label orchernetes.io/service-name names. A Service can have many slices; readers put them together.",
    addressType: "Kind of all addresses in the slice: IPv4, IPv6 or FQDN (a name, deprecated). Can't be changed.",
    endpoints: "The addresses with their state. At most 1000.",
    ports: "The ports of every endpoint here. Each name once; when empty, there are none. At most 100.",
  },
  Endpoint: {
    "": "One backend of a Service.",
    addresses:
      "Addresses of the backend, of the slice's kind. All mean the same backend, so readers may use the first one. 1 to 100.",
    conditions: "Whether requests can be sent to it.",
    hostname: "Name of the backend within the Service's domain in DNS, a lower-case label.",
    targetRef: "The object behind it, usually a Pod.",
    deprecatedTopology:
      "Labels of the place, from the beta version of this API. Can't be set; nodeName and zone took its place.",
    nodeName: "Name of the node that the backend runs on.",
    zone: "Zone that the backend runs in.",
    hints: "Who should use this backend, so that requests stay near.",
  },
  EndpointConditions: {
    "": "Whether a backend can be used. What is absent is unknown; readers take that for ready and serving.",
    ready:
      "Whether to send requests to it. False while it terminates, save for Services that publish addresses which are not ready.",
    serving: "Whether it answers, also while it terminates.",
    terminating: "Whether it is about to end.",
  },
  EndpointHints: {
    "": "Who should use a backend.",
    forZones: "Zones whose clients should use it. At most 8.",
  },
  ForZone: {
    "": "A zone for which a backend is meant.",
    name: "Name of the zone.",
  },
  EndpointPort: {
    "": "A port of every backend in a slice.",
    name: 'Name of the port, equal to that of the Service\'s port: a lower-case label, or "" for an only port.',
    protocol: "TCP, UDP or SCTP. Default: TCP.",
    port: "Number of the port. When absent, readers decide what that means; for a Service it means all ports.",
    appProtocol:
      "Protocol spoken at the port, such as https or example.com/my-protocol. A hint; nobody has to heed it.",
  },
};
