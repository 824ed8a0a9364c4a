import {
  type Draft,
  type FieldError,
  field,
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

/**
 * A request for a token of a service account, posted to its subresource `token` and never stored.
 *
 * `expirationSeconds` defaults to 3600. Source: KEP-1205.
 */
export const TokenRequest = object(pkg, "TokenRequest", () => ({
  metadata: value(1, ObjectMeta),
  spec: required(2, TokenRequestSpec),
  status: value(3, TokenRequestStatus),
}));
export interface TokenRequest extends Infer<typeof TokenRequest> {}

/** The requested token. */
export const TokenRequestSpec = message(pkg, "TokenRequestSpec", () => ({
  audiences: required(1, list(string)),
  expirationSeconds: pointer(4, int64),
  boundObjectRef: pointer(3, BoundObjectReference),
}));
export interface TokenRequestSpec extends Infer<typeof TokenRequestSpec> {}

/** An issued token. */
export const TokenRequestStatus = message(pkg, "TokenRequestStatus", () => ({
  token: required(1, string),
  expirationTimestamp: required(2, time),
}));
export interface TokenRequestStatus extends Infer<typeof TokenRequestStatus> {}

/** The object that a token is bound to: the token is invalid once it is deleted. */
export const BoundObjectReference = message(pkg, "BoundObjectReference", () => ({
  kind: optional(1, string),
  apiVersion: optional(2, string),
  name: optional(3, string),
  uid: optional(4, string),
}));
export interface BoundObjectReference extends Infer<typeof BoundObjectReference> {}

const minExpirationSeconds = 600;
const maxExpirationSeconds = 2 ** 32;

/** Sets the defaults of a TokenRequest: a token for one hour. */
export function defaultTokenRequest(request: Draft<TokenRequest>): void {
  request.spec.expirationSeconds ??= 3600;
}

/** Validates a TokenRequest: at least ten minutes, at most 2^32 seconds. */
export function validateTokenRequest({ spec }: TokenRequest): FieldError[] {
  const path = field("spec").child("expirationSeconds");
  const seconds = spec.expirationSeconds ?? 0;
  if (seconds < minExpirationSeconds) {
    return [field.invalid(path, seconds, "may not specify a duration less than 10 minutes")];
  }
  return seconds > maxExpirationSeconds
    ? [field.invalid(path, seconds, "may not specify a duration larger than 2^32 seconds")]
    : [];
}
