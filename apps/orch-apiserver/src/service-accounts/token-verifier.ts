import { parseServiceAccountUserName, type TokenClaims } from "./claims.ts";
import { joseLibrary } from "./jose-library.ts";
import type { VerifyingKey } from "./signing-key.ts";

/** Outcome of checking a bearer token as a service account token. */
export type Verification =
  /** Signed by us, in time, for one of our audiences. `audiences` are those that token and server share. */
  | { readonly type: "valid"; readonly claims: TokenClaims; readonly audiences: readonly string[] }
  /** Not a token of any of our issuers: another authenticator may know it. */
  | { readonly type: "foreign" }
  | { readonly type: "invalid"; readonly reason: string };

function isClaims(value: unknown): value is TokenClaims {
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

const asList = (aud: unknown): readonly string[] =>
  Array.isArray(aud) ? aud.filter((a) => typeof a === "string") : typeof aud === "string" ? [aud] : [];

/**
 * Checks signature, issuer, times and audience. Whether the account and the bound object still exist is the
 * authenticator's business.
 */
export function createTokenVerifier(options: {
  readonly keys: readonly VerifyingKey[];
  readonly issuers: readonly string[];
  readonly clock: { readonly now: () => Date };
}): (token: string, acceptedAudiences: readonly string[]) => Promise<Verification> {
  const { keys, issuers, clock } = options;
  return async (token, acceptedAudiences) => {
    const { decodeJwt, decodeProtectedHeader, errors, jwtVerify } = joseLibrary();
    let keyId: string | undefined;
    try {
      if (!issuers.includes(decodeJwt(token).iss ?? "")) return { type: "foreign" };
      keyId = decodeProtectedHeader(token).kid;
    } catch {
      return { type: "foreign" };
    }
    const named = keys.filter((k) => k.id === keyId);
    for (const candidate of named.length > 0 ? named : keys) {
      try {
        const { payload } = await jwtVerify(token, candidate.key, {
          algorithms: [candidate.algorithm],
          currentDate: clock.now(),
        });
        if (!isClaims(payload)) return { type: "invalid", reason: "the token lacks the claims of a service account" };
        const audiences = asList(payload.aud).filter((a) => acceptedAudiences.includes(a));
        if (audiences.length === 0)
          return {
            type: "invalid",
            reason: `token audiences ${JSON.stringify(asList(payload.aud))} is invalid for the target audiences ${JSON.stringify(acceptedAudiences)}`,
          };
        return { type: "valid", claims: payload, audiences };
      } catch (error) {
        if (error instanceof errors.JWTExpired) return { type: "invalid", reason: "service account token has expired" };
        if (error instanceof errors.JWTClaimValidationFailed)
          return { type: "invalid", reason: "service account token is not valid yet" };
        // A signature by another key: try the next one.
      }
    }
    return { type: "invalid", reason: "invalid signature" };
  };
}
