import {
  enumeration,
  type Infer,
  int64,
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

const pkg = "apiserverinternal/v1alpha1";

export const StorageVersion = object(pkg, "StorageVersion", () => ({
  metadata: value(1, ObjectMeta),
  spec: required(2, StorageVersionSpec),
  status: required(3, StorageVersionStatus),
}));
export interface StorageVersion extends Infer<typeof StorageVersion> {}

export const StorageVersionSpec = message(pkg, "StorageVersionSpec", () => ({}));
export interface StorageVersionSpec extends Infer<typeof StorageVersionSpec> {}

export const StorageVersionStatus = message(pkg, "StorageVersionStatus", () => ({
  storageVersions: optional(1, list(ServerStorageVersion), { list: "map", keys: ["apiServerID"] }),
  commonEncodingVersion: pointer(2, string),
  conditions: optional(3, list(StorageVersionCondition), { list: "map", keys: ["type"] }),
}));
export interface StorageVersionStatus extends Infer<typeof StorageVersionStatus> {}

export const ServerStorageVersion = message(pkg, "ServerStorageVersion", () => ({
  apiServerID: optional(1, string),
  encodingVersion: optional(2, string),
  decodableVersions: optional(3, list(string), { list: "set" }),
}));
export interface ServerStorageVersion extends Infer<typeof ServerStorageVersion> {}

export const StorageVersionCondition = message(pkg, "StorageVersionCondition", () => ({
  type: required(1, enumeration("AllEncodingVersionsEqual")),
  status: required(2, openEnumeration("True", "False", "Unknown")),
  observedGeneration: optional(3, int64),
  lastTransitionTime: required(4, time),
  reason: required(5, string),
  message: required(6, string),
}));
export interface StorageVersionCondition extends Infer<typeof StorageVersionCondition> {}

export const StorageVersionList = object(pkg, "StorageVersionList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(StorageVersion)),
}));
export interface StorageVersionList extends Infer<typeof StorageVersionList> {}
