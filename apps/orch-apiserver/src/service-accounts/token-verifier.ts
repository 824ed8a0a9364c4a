import { parseServiceAccountUserName } from "@orchernetes/apimachinery";
import type { JWTPayload } from "jose";
import type { TokenClaims } from "./claims.ts";
import { audiencesOf, createSignatureVerifier, sharedAudiences } from "./verify-signature.ts";

/** Outcome of checking a bearer token as a service account token. */
export type Verification =
  /** Signed by us, in time, for one of our audiences. `audiences` are those that token and server share. */
  | { readonly type: "valid"; readonly claims: TokenClaims; readonly audiences: readonly string[] }
  /** Not a token of any of our issuers: another authenticator may know it. */
  | { readonly type: "foreign" }
  | { readonly type: "invalid"; readonly reason: string };

function isClaims(value: unknown): value is JWTPayload & TokenClaims {
  if (typeof value !== "object" || value === null) return false;
  const claims = value as Record<string, unknown>;
  const own = claims["orchernetes.io"];
  if (typeof claims.sub !== "string" || typeof own !== "object" || own === null) return false;
  const { namespace, serviceaccount } = own as Record<string, unknown>;
  const subject = parseServiceAccountUserName(claims.sub);
  if (typeof serviceaccount !== "object" || serviceaccount === null || subject === undefined) return false;
  const { name, uid } = serviceaccount as Record<string, unknown>;
  return namespace === subject.namespace && name === subject.name && typeof uid === "string";
}

/**
 * Checks signature, issuer, times and audience. Whether the account and the bound object still exist is the
 * authenticator's business.
 */
export function createTokenVerifier(
  options: Parameters<typeof createSignatureVerifier>[0],
): (token: string, acceptedAudiences: readonly string[]) => Promise<Verification> {
  const verify = createSignatureVerifier(options);
  return async (token, acceptedAudiences) => {
    const signed = await verify(token);
    if (signed.type !== "signed") return signed;
    const { payload } = signed;
    if (!isClaims(payload)) return { type: "invalid", reason: "the token lacks the claims of a service account" };
    const shared = sharedAudiences(audiencesOf(payload), acceptedAudiences);
    return "audiences" in shared ? { type: "valid", claims: payload, audiences: shared.audiences } : shared;
  };
}
