import {
  bool,
  enumeration,
  type Infer,
  int32,
  ListMeta,
  list,
  mapOf,
  message,
  ObjectMeta,
  object,
  optional,
  pointer,
  required,
  string,
  value,
} from "@orchernetes/apimachinery";
import { ObjectReference } from "../../core/v1/types/references.ts";

const pkg = "discovery/v1";

/**
 * Some of the endpoints of a Service, which the label `orchernetes.io/service-name` names. Readers merge all slices of a
 * Service.
 *
 * A slice has at most 1000 endpoints with 100 addresses each, and its `addressType` is immutable. Source: KEP-752; `hints`: KEP-2433.
 */
export const EndpointSlice = object(pkg, "EndpointSlice", () => ({
  metadata: value(1, ObjectMeta),
  addressType: required(4, string),
  endpoints: required(2, list(Endpoint)),
  ports: pointer(3, list(EndpointPort)),
}));
export interface EndpointSlice extends Infer<typeof EndpointSlice> {}

/** One backend of a Service. */
export const Endpoint = message(pkg, "Endpoint", () => ({
  addresses: required(1, list(string), { list: "set" }),
  conditions: value(2, EndpointConditions),
  hostname: pointer(3, string),
  targetRef: pointer(4, ObjectReference),
  deprecatedTopology: optional(5, mapOf(string), { deprecated: true }),
  nodeName: pointer(6, string),
  zone: pointer(7, string),
  hints: pointer(8, EndpointHints, { gate: "TopologyAwareHints" }),
}));
export interface Endpoint extends Infer<typeof Endpoint> {}

/** Whether a backend can be used. What is absent is unknown; readers take that for ready and serving. */
export const EndpointConditions = message(pkg, "EndpointConditions", () => ({
  ready: pointer(1, bool),
  serving: pointer(2, bool),
  terminating: pointer(3, bool),
}));
export interface EndpointConditions extends Infer<typeof EndpointConditions> {}

/** Who should use a backend. */
export const EndpointHints = message(pkg, "EndpointHints", () => ({
  forZones: optional(1, list(ForZone)),
}));
export interface EndpointHints extends Infer<typeof EndpointHints> {}

/** A zone for which a backend is meant. */
export const ForZone = message(pkg, "ForZone", () => ({
  name: required(1, string),
}));
export interface ForZone extends Infer<typeof ForZone> {}

/** A port of every backend in a slice. */
export const EndpointPort = message(
  pkg,
  "EndpointPort",
  () => ({
    name: pointer(1, string),
    protocol: pointer(2, enumeration("TCP", "UDP", "SCTP")),
    port: pointer(3, int32),
    appProtocol: pointer(4, string),
  }),
  { atomic: true },
);
export interface EndpointPort extends Infer<typeof EndpointPort> {}

export const EndpointSliceList = object(pkg, "EndpointSliceList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(EndpointSlice)),
}));
export interface EndpointSliceList extends Infer<typeof EndpointSliceList> {}
