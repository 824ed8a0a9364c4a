import {
  enumeration,
  type Infer,
  int32,
  ListMeta,
  list,
  message,
  ObjectMeta,
  object,
  optional,
  pointer,
  required,
  string,
  value,
} from "@orchernetes/apimachinery";
import { ObjectReference } from "./references.ts";

const pkg = "core/v1";

export const Endpoints = object(pkg, "Endpoints", () => ({
  metadata: value(1, ObjectMeta),
  subsets: optional(2, list(EndpointSubset)),
}));
export interface Endpoints extends Infer<typeof Endpoints> {}

export const EndpointSubset = message(pkg, "EndpointSubset", () => ({
  addresses: optional(1, list(EndpointAddress)),
  notReadyAddresses: optional(2, list(EndpointAddress)),
  ports: optional(3, list(EndpointPort)),
}));
export interface EndpointSubset extends Infer<typeof EndpointSubset> {}

export const EndpointAddress = message(
  pkg,
  "EndpointAddress",
  () => ({
    ip: required(1, string),
    hostname: optional(3, string),
    nodeName: pointer(4, string),
    targetRef: pointer(2, ObjectReference),
  }),
  { atomic: true },
);
export interface EndpointAddress extends Infer<typeof EndpointAddress> {}

export const EndpointPort = message(
  pkg,
  "EndpointPort",
  () => ({
    name: optional(1, string),
    port: required(2, int32),
    protocol: optional(3, enumeration("TCP", "UDP", "SCTP")),
    appProtocol: pointer(4, string),
  }),
  { atomic: true },
);
export interface EndpointPort extends Infer<typeof EndpointPort> {}

export const EndpointsList = object(pkg, "EndpointsList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(Endpoints)),
}));
export interface EndpointsList extends Infer<typeof EndpointsList> {}
