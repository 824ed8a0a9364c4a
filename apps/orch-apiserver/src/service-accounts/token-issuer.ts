import { type SigningKey, signToken } from "@orchernetes/auth";
import type { Clock } from "@orchernetes/kernel";
import { claimsFor, type TokenSubject } from "./claims.ts";

/** A request for a token. */
interface IssueRequest {
  readonly subject: TokenSubject;
  /** If it is empty, the audiences are those of the API server. */
  readonly audiences: readonly string[];
  readonly lifetimeSeconds: number;
  /** Age at which uses of the token are counted as stale. @default never */
  readonly warnAfterSeconds?: number;
}

interface IssuedToken {
  readonly token: string;
  readonly expiresAt: Date;
}

/** Issues the service account tokens of the TokenRequest API. */
export interface TokenIssuer {
  readonly issue: (request: IssueRequest) => Promise<IssuedToken>;
}

/** Creates the issuer. `issuer` is the claim `iss` of its tokens, `defaultAudiences` are their audiences if a request names none. */
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
