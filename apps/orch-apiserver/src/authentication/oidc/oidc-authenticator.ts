import type { TokenAuthenticator, TokenResult } from "@orchernetes/auth";
import { type Clock, messageOf } from "@orchernetes/kernel";
import type { JWTPayload } from "jose";
import { joseLibrary } from "../../service-accounts/jose-library.ts";
import { IssuerKeys, type IssuerKeysOptions, type KeySet } from "./issuer-keys.ts";
import { type ClaimSettings, userOfClaims } from "./user-of-claims.ts";

/** Seconds by which the clock of the issuer may be ahead, for `nbf`. */
const NOT_BEFORE_LEEWAY_S = 60;
/** Maximum length of an ID token in characters. Longer tokens are not parsed. */
const MAX_TOKEN_LENGTH = 64 * 1024;

/** Options of {@link oidcAuthenticator}. */
export interface OidcOptions extends IssuerKeysOptions {
  /** `--oidc-client-id`: an audience that each token must have. */
  readonly clientId: string;
  /** `--oidc-signing-algs`, such as `RS256`. */
  readonly algorithms: readonly string[];
  readonly claims: Omit<ClaimSettings, "issuer">;
}

/** The claims of a token whose signature is valid, or the reason why it is not accepted. */
type Verified = { readonly payload: JWTPayload } | { readonly error: string };

/**
 * Authenticates ID tokens of an OpenID Connect issuer. Its keys are fetched in the background: until then its tokens are rejected, and no
 * request waits. When a token names an unknown key, the keys are fetched again; concurrent requests share one fetch.
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

/** Returns the issuer in a token, which is not verified yet; undefined if it is not a JSON Web Token. */
function issuerOf(token: string): string | undefined {
  try {
    return joseLibrary().decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

/** Verifies the signature, the issuer, the audience and the times of a token. */
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
      // The token does not name its key, so every key for its algorithm is tried.
      for await (const key of error) {
        try {
          return await jwtVerify(token, key, expected);
        } catch (failure) {
          if (!(failure instanceof errors.JWSSignatureVerificationFailed)) return { error: messageOf(failure) };
        }
      }
      return "unknownKey";
    }
    // A signature that does not verify can mean that the key was replaced under the same id.
    if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWSSignatureVerificationFailed)
      return "unknownKey";
    return { error: messageOf(error) };
  }
}
