import {
  type Infer,
  int64,
  list,
  message,
  ObjectMeta,
  object,
  optional,
  pointer,
  required,
  string,
  time,
  value,
} from "@orchernetes/apimachinery";

const pkg = "authentication/v1";

export const TokenRequest = object(pkg, "TokenRequest", () => ({
  metadata: value(1, ObjectMeta),
  spec: required(2, TokenRequestSpec),
  status: value(3, TokenRequestStatus),
}));
export interface TokenRequest extends Infer<typeof TokenRequest> {}

export const TokenRequestSpec = message(pkg, "TokenRequestSpec", () => ({
  audiences: required(1, list(string)),
  expirationSeconds: pointer(4, int64),
  boundObjectRef: pointer(3, BoundObjectReference),
}));
export interface TokenRequestSpec extends Infer<typeof TokenRequestSpec> {}

export const TokenRequestStatus = message(pkg, "TokenRequestStatus", () => ({
  token: required(1, string),
  expirationTimestamp: required(2, time),
}));
export interface TokenRequestStatus extends Infer<typeof TokenRequestStatus> {}

export const BoundObjectReference = message(pkg, "BoundObjectReference", () => ({
  kind: optional(1, string),
  apiVersion: optional(2, string),
  name: optional(3, string),
  uid: optional(4, string),
}));
export interface BoundObjectReference extends Infer<typeof BoundObjectReference> {}
