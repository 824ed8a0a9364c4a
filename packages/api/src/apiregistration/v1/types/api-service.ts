import {
  bool,
  bytes,
  type Infer,
  int32,
  ListMeta,
  list,
  message,
  ObjectMeta,
  object,
  openEnumeration,
  optional,
  pointer,
  required,
  string,
  time,
  value,
} from "@orchernetes/apimachinery";

const pkg = "apiregistration/v1";

export const APIServiceList = object(pkg, "APIServiceList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(APIService)),
}));
export interface APIServiceList extends Infer<typeof APIServiceList> {}

export const ServiceReference = message(pkg, "ServiceReference", () => ({
  namespace: optional(1, string),
  name: optional(2, string),
  port: pointer(3, int32),
}));
export interface ServiceReference extends Infer<typeof ServiceReference> {}

export const APIServiceSpec = message(pkg, "APIServiceSpec", () => ({
  service: pointer(1, ServiceReference),
  group: optional(2, string),
  version: optional(3, string),
  insecureSkipTLSVerify: optional(4, bool),
  caBundle: optional(5, bytes),
  groupPriorityMinimum: required(7, int32),
  versionPriority: required(8, int32),
}));
export interface APIServiceSpec extends Infer<typeof APIServiceSpec> {}

export const APIServiceCondition = message(pkg, "APIServiceCondition", () => ({
  type: required(1, string),
  status: required(2, openEnumeration("True", "False", "Unknown")),
  lastTransitionTime: optional(3, time),
  reason: optional(4, string),
  message: optional(5, string),
}));
export interface APIServiceCondition extends Infer<typeof APIServiceCondition> {}

export const APIServiceStatus = message(pkg, "APIServiceStatus", () => ({
  conditions: optional(1, list(APIServiceCondition), { patch: "merge", mergeKey: "type", list: "map", keys: ["type"] }),
}));
export interface APIServiceStatus extends Infer<typeof APIServiceStatus> {}

export const APIService = object(pkg, "APIService", () => ({
  metadata: value(1, ObjectMeta),
  spec: value(2, APIServiceSpec),
  status: value(3, APIServiceStatus),
}));
export interface APIService extends Infer<typeof APIService> {}
