import {
  bool,
  enumeration,
  type Infer,
  int64,
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

const pkg = "storage/v1";

export const CSIDriver = object(pkg, "CSIDriver", () => ({
  metadata: value(1, ObjectMeta),
  spec: required(2, CSIDriverSpec),
}));
export interface CSIDriver extends Infer<typeof CSIDriver> {}

export const CSIDriverList = object(pkg, "CSIDriverList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(CSIDriver)),
}));
export interface CSIDriverList extends Infer<typeof CSIDriverList> {}

export const CSIDriverSpec = message(pkg, "CSIDriverSpec", () => ({
  attachRequired: pointer(1, bool),
  podInfoOnMount: pointer(2, bool),
  volumeLifecycleModes: optional(3, list(enumeration("Persistent", "Ephemeral")), { list: "set" }),
  storageCapacity: pointer(4, bool, { gate: "CSIStorageCapacity" }),
  fsGroupPolicy: pointer(5, enumeration("ReadWriteOnceWithFSType", "File", "None")),
  tokenRequests: optional(6, list(TokenRequest)),
  requiresRepublish: pointer(7, bool),
  seLinuxMount: pointer(8, bool, { gate: "SELinuxMountReadWriteOncePod" }),
}));
export interface CSIDriverSpec extends Infer<typeof CSIDriverSpec> {}

export const TokenRequest = message(pkg, "TokenRequest", () => ({
  audience: required(1, string),
  expirationSeconds: pointer(2, int64),
}));
export interface TokenRequest extends Infer<typeof TokenRequest> {}
