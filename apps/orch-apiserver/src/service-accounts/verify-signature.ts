import { createRequire } from "node:module";
import type { VerifyingKey } from "@orchernetes/auth";
import type { Clock } from "@orchernetes/kernel";
import type { JWTPayload } from "jose";

/** Outcome of checking who signed a token, and when. */
export type SignedToken =
  | { readonly type: "signed"; readonly payload: JWTPayload }
  /** Not a token of any of the issuers: another authenticator may know it. */
  | { readonly type: "foreign" }
  | { readonly type: "invalid"; readonly reason: string };

/** Checks issuer, signature and times of JSON Web Tokens. Tokens without an end never expire. */
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
        // A signature by another key: try the next one.
      }
    }
    return { type: "invalid", reason: "invalid signature" };
  };
}

/** The audiences of a token. */
export function audiencesOf({ aud }: JWTPayload): readonly string[] {
  return Array.isArray(aud) ? aud.filter((a) => typeof a === "string") : typeof aud === "string" ? [aud] : [];
}

/** The audiences that a token and its asker share, or why there are none. */
export function sharedAudiences(
  own: readonly string[],
  accepted: readonly string[],
): { readonly audiences: readonly string[] } | { readonly type: "invalid"; readonly reason: string } {
  const audiences = own.filter((a) => accepted.includes(a));
  if (audiences.length > 0) return { audiences };
  const reason = `token audiences ${JSON.stringify(own)} is invalid for the target audiences ${JSON.stringify(accepted)}`;
  return { type: "invalid", reason };
}

const require = createRequire(import.meta.url);

/** The library that signs and verifies tokens; loaded by the first call, not at start. */
export function joseLibrary(): typeof import("jose") {
  return require("jose");
}
