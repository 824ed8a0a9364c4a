import { parseServiceAccountUserName } from "@orchernetes/apimachinery";
import type { JWTPayload } from "jose";
import type { TokenClaims } from "./claims.ts";
import { audiencesOf, createSignatureVerifier, matchAudiences } from "./verify-signature.ts";

/** Result of verifying a bearer token as a service account token. */
export type Verification =
  /** The signature, the times and the audience are valid. `audiences` are those of the token that the server accepts. */
  | { readonly type: "valid"; readonly claims: TokenClaims; readonly audiences: readonly string[] }
  /** The token has another issuer: another authenticator may accept it. */
  | { readonly type: "foreign" }
  | { readonly type: "invalid"; readonly reason: string };

/** Whether a payload has the claims of a service account token, and its `sub` names the same account as its private claims. */
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
 * Creates the verifier of tokens of the TokenRequest API: it checks the signature, the issuer, the times and the audience. The
 * authenticator checks whether the account and the bound object still exist.
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
    const shared = matchAudiences(audiencesOf(payload), acceptedAudiences);
    return "audiences" in shared ? { type: "valid", claims: payload, audiences: shared.audiences } : shared;
  };
}
