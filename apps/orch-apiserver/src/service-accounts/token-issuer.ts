import type { Clock } from "@orchernetes/kernel";
import { claimsFor, type TokenSubject } from "./claims.ts";
import type { SigningKey } from "./signing-key.ts";
import { joseLibrary } from "./verify-signature.ts";

/** What to put into a token. */
interface IssueRequest {
  readonly subject: TokenSubject;
  /** Empty: the issuer's own audiences. */
  readonly audiences: readonly string[];
  readonly lifetimeSeconds: number;
  readonly warnAfterSeconds?: number;
}

interface IssuedToken {
  readonly token: string;
  readonly expiresAt: Date;
}

/** Signs service account tokens; see the TokenRequest API. */
export interface TokenIssuer {
  readonly issue: (request: IssueRequest) => Promise<IssuedToken>;
}

/** Issuer whose tokens contain `issuer` and default to `defaultAudiences`. */
export function createTokenIssuer(options: {
  readonly key: SigningKey;
  readonly issuer: string;
  readonly defaultAudiences: readonly string[];
  readonly clock: Pick<Clock, "now">;
}): TokenIssuer {
  const { key, issuer, clock } = options;
  return {
    async issue(request) {
      const audiences = request.audiences.length > 0 ? request.audiences : options.defaultAudiences;
      const { SignJWT } = joseLibrary();
      const claims = claimsFor({ ...request, issuer, audiences, now: clock.now() });
      const token = await new SignJWT({ ...claims, aud: [...audiences] })
        .setProtectedHeader({ alg: key.algorithm, kid: key.id })
        .sign(key.privateKey);
      return { token, expiresAt: new Date(claims.exp * 1000) };
    },
  };
}
