import {
  type Infer,
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

const pkg = "networking/v1alpha1";

export const IPAddress = object(pkg, "IPAddress", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, IPAddressSpec),
}));
export interface IPAddress extends Infer<typeof IPAddress> {}

export const IPAddressSpec = message(pkg, "IPAddressSpec", () => ({
  parentRef: pointer(1, ParentReference),
}));
export interface IPAddressSpec extends Infer<typeof IPAddressSpec> {}

export const ParentReference = message(pkg, "ParentReference", () => ({
  group: optional(1, string),
  resource: required(2, string),
  namespace: optional(3, string),
  name: required(4, string),
  uid: optional(5, string),
}));
export interface ParentReference extends Infer<typeof ParentReference> {}

export const IPAddressList = object(pkg, "IPAddressList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(IPAddress)),
}));
export interface IPAddressList extends Infer<typeof IPAddressList> {}
