import type { VerifyingKey } from "@orchernetes/auth";
import type { Clock } from "@orchernetes/kernel";
import type { JWTPayload } from "jose";
import { joseLibrary } from "./jose-library.ts";

/** Result of verifying the signature and the times of a token. */
export type SignedToken =
  | { readonly type: "signed"; readonly payload: JWTPayload }
  /** The token has another issuer, or is not a JSON Web Token: another authenticator may accept it. */
  | { readonly type: "foreign" }
  | { readonly type: "invalid"; readonly reason: string };

/**
 * Creates the verifier of JSON Web Tokens that service accounts have: it checks the issuer, the signature and the times. A token without
 * `exp` does not expire. If the header of a token names no known key, every key is tried, because old tokens have no key id.
 */
export function createSignatureVerifier(options: {
  readonly keys: readonly VerifyingKey[];
  readonly issuers: readonly string[];
  readonly clock: Pick<Clock, "now">;
}): (token: string) => Promise<SignedToken> {
  const { keys, issuers, clock } = options;
  return async (token) => {
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
        return { type: "signed", payload };
      } catch (error) {
        if (error instanceof errors.JWTExpired) return { type: "invalid", reason: "service account token has expired" };
        if (error instanceof errors.JWTClaimValidationFailed)
          return { type: "invalid", reason: "service account token is not valid yet" };
        // The signature is not that of this key: try the next one.
      }
    }
    return { type: "invalid", reason: "invalid signature" };
  };
}

/** Returns the audiences of a token, which is a text or a list of texts in a JSON Web Token (RFC 7519 §4.1.3). */
export function audiencesOf({ aud }: JWTPayload): readonly string[] {
  return Array.isArray(aud) ? aud.filter((a) => typeof a === "string") : typeof aud === "string" ? [aud] : [];
}

/**
 * Returns the audiences of a token that the server accepts. If there are none the token is invalid; the reason is in upstream's words.
 *
 * @param own audiences of the token
 */
export function matchAudiences(
  own: readonly string[],
  accepted: readonly string[],
): { readonly audiences: readonly string[] } | { readonly type: "invalid"; readonly reason: string } {
  const audiences = own.filter((a) => accepted.includes(a));
  if (audiences.length > 0) return { audiences };
  const reason = `token audiences ${JSON.stringify(own)} is invalid for the target audiences ${JSON.stringify(accepted)}`;
  return { type: "invalid", reason };
}
