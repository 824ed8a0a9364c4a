import { type Draft, type FieldError, field } from "@orchernetes/apimachinery";
import type { TokenRequest } from "./types/token-request.ts";

const minExpirationSeconds = 600;
const maxExpirationSeconds = 2 ** 32;

/** Defaults of a TokenRequest: a token for one hour. */
export function defaultTokenRequest(request: Draft<TokenRequest>): void {
  request.spec.expirationSeconds ??= 3600;
}

/** All rules of a TokenRequest: at least ten minutes, at most 2^32 seconds. */
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
