import { type SigningKey, signToken } from "@orchernetes/auth";
import type { Clock } from "@orchernetes/kernel";
import { claimsFor, type TokenSubject } from "./claims.ts";

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
      const claims = claimsFor({ ...request, issuer, audiences, now: clock.now() });
      return { token: await signToken(claims, key), expiresAt: new Date(claims.exp * 1000) };
    },
  };
}
