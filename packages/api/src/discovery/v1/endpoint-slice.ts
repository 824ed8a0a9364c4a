import { type Draft, defineResource } from "@orchernetes/apimachinery";
import { age, column, firstFew, name } from "../../shared/columns.ts";
import { allVerbs } from "../../shared/definitions.ts";
import { validateEndpointSlice, validateEndpointSliceUpdate } from "./endpoint-slice-validation.ts";
import { EndpointSlice } from "./types.ts";

/** Sets the defaults of an EndpointSlice: unnamed TCP ports. */
function defaultEndpointSlice(slice: Draft<EndpointSlice>): void {
  for (const port of slice.ports ?? []) {
    port.name ??= "";
    port.protocol ??= "TCP";
  }
}

function portsText({ ports }: EndpointSlice): string {
  const texts = (ports ?? []).map((port) => String(port.port ?? (port.name || "*")));
  return texts.length === 0 ? "<unset>" : firstFew(texts, 3, ",");
}

function endpointsText({ endpoints }: EndpointSlice): string {
  const addresses = (endpoints ?? []).flatMap((endpoint) => endpoint.addresses ?? []);
  return addresses.length === 0 ? "<unset>" : firstFew(addresses, 3, ",");
}

/** `discovery.o8s.io/v1` endpoint slices: some of the endpoints of a service. */
export const endpointSlices = defineResource<EndpointSlice>({
  group: "discovery.o8s.io",
  version: "v1",
  kind: "EndpointSlice",
  plural: "endpointslices",
  singular: "endpointslice",
  scope: "Namespaced",
  verbs: allVerbs,
  schema: EndpointSlice,
  storagePrefix: "/registry/endpointslices",
  applyDefaults: defaultEndpointSlice,
  strategy: {
    validate: validateEndpointSlice,
    validateUpdate: validateEndpointSliceUpdate,
    generation: ({ addressType, endpoints, ports, metadata }) => ({
      addressType,
      endpoints,
      ports,
      labels: metadata.labels ?? {},
    }),
  },
  columns: [
    name(),
    column("AddressType", "string", "Type of the slice's addresses.", ({ addressType }) => addressType),
    column("Ports", "string", "Ports of every endpoint of the slice.", portsText),
    column("Endpoints", "string", "Addresses of the slice.", endpointsText),
    age(),
  ],
});
