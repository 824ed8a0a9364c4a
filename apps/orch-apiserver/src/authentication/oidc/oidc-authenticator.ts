import type { TokenAuthenticator, TokenResult } from "@orchernetes/auth";
import { type Clock, messageOf } from "@orchernetes/kernel";
import type { JWTPayload } from "jose";
import { joseLibrary } from "../../service-accounts/verify-signature.ts";
import { IssuerKeys, type IssuerKeysOptions, type KeySet } from "./issuer-keys.ts";
import { type ClaimSettings, userOfClaims } from "./user-of-claims.ts";

/** How far the issuer's clock may be ahead, for `nbf`. */
const NOT_BEFORE_LEEWAY_S = 60;
/** Longest ID token that is looked at. */
const MAX_TOKEN_LENGTH = 64 * 1024;

/** Options of {@link oidcAuthenticator}. */
export interface OidcOptions extends IssuerKeysOptions {
  readonly clientId: string;
  /** Such as `RS256`. */
  readonly algorithms: readonly string[];
  readonly claims: Omit<ClaimSettings, "issuer">;
}

type Verified = { readonly payload: JWTPayload } | { readonly error: string };

/**
 * Accepts ID tokens of an OpenID Connect issuer. Its keys are fetched in the background: until they are known, its tokens are rejected,
 * and nothing waits for it. A token that names an unknown key has the keys fetched again, once for all that wait.
 */
export function oidcAuthenticator(options: OidcOptions): TokenAuthenticator {
  const { issuer, clock } = options;
  const keys = new IssuerKeys(options);
  void keys.follow();
  const settings: ClaimSettings = { ...options.claims, issuer };
  const refuse = (reason: string): TokenResult => ({ type: "rejected", reason });
  return {
    async authenticateToken(token) {
      if (token.length > MAX_TOKEN_LENGTH || issuerOf(token) !== issuer) return { type: "noOpinion" };
      if (keys.current === undefined)
        return refuse("oidc: authenticator not initialized: the issuer has not answered yet");
      let verified = await verify(token, keys.current, options);
      if (verified === "unknownKey") {
        await keys.refresh();
        verified = await verify(token, keys.current, options);
      }
      if (verified === "unknownKey") return refuse("oidc: verify token: failed to verify id token signature");
      if ("error" in verified) return refuse(`oidc: verify token: ${verified.error}`);
      const { exp = 0 } = verified.payload;
      if (exp * 1000 < clock.nowMs()) return refuse(`oidc: verify token: the token expired at ${exp}`);
      const user = userOfClaims(verified.payload, settings);
      return "error" in user ? refuse(user.error) : { type: "authenticated", user };
    },
  };
}

/** The issuer that a token names, unverified; undefined if it is no JSON Web Token. */
function issuerOf(token: string): string | undefined {
  try {
    return joseLibrary().decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

async function verify(
  token: string,
  keys: KeySet,
  {
    issuer,
    clientId,
    algorithms,
    clock,
  }: Pick<OidcOptions, "issuer" | "clientId" | "algorithms"> & { readonly clock: Clock },
): Promise<Verified | "unknownKey"> {
  const { errors, jwtVerify } = joseLibrary();
  const expected = {
    issuer,
    audience: clientId,
    algorithms: [...algorithms],
    requiredClaims: ["exp"],
    clockTolerance: NOT_BEFORE_LEEWAY_S,
    currentDate: clock.now(),
  };
  try {
    return await jwtVerify(token, keys, expected);
  } catch (error) {
    if (error instanceof errors.JWKSMultipleMatchingKeys) {
      // The token does not name its key: each that fits is tried.
      for await (const key of error) {
        try {
          return await jwtVerify(token, key, expected);
        } catch (failure) {
          if (!(failure instanceof errors.JWSSignatureVerificationFailed)) return { error: messageOf(failure) };
        }
      }
      return "unknownKey";
    }
    // A key may have been replaced under the same name.
    if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWSSignatureVerificationFailed)
      return "unknownKey";
    return { error: messageOf(error) };
  }
}
