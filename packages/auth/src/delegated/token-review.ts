import { sharedAudiences } from "../tokens/audiences.ts";
import type { TokenAuthenticator } from "../tokens/token-authenticator.ts";
import type { UserInfo } from "../user.ts";
import { field, type ReviewClient, reviewed, text, texts } from "./review-client.ts";

/** Options of {@link tokenReviewAuthenticator}. */
export interface TokenReviewOptions {
  readonly review: ReviewClient;
  /** Version of the TokenReview. @default "v1" */
  readonly version?: "v1" | "v1beta1";
  /** Audiences of tokens if the response of the reviewing server names none. @default none */
  readonly impliedAudiences?: readonly string[];
}

/**
 * Asks the API server for the user of a bearer token. If the caller accepts only certain audiences, a response that names none of them does
 * not authenticate: a server that knows no audiences would accept tokens that were issued for others.
 *
 * Results are not cached: see `cachedTokenAuthenticator`.
 */
export function tokenReviewAuthenticator(options: TokenReviewOptions): TokenAuthenticator {
  const { review, version = "v1", impliedAudiences = [] } = options;
  const apiVersion = `authentication.o8s.io/${version}`;
  return {
    async authenticateToken(token, accepted) {
      const spec = { token, ...(accepted.length > 0 && { audiences: accepted }) };
      const body = { apiVersion, kind: "TokenReview", spec };
      const status = await reviewed(review, `/apis/${apiVersion}/tokenreviews`, body);
      if (field(status, "authenticated") !== true) {
        const reason = text(field(status, "error"));
        return reason === "" ? { type: "noOpinion" } : { type: "rejected", reason };
      }
      const user = userOf(field(status, "user"));
      if (accepted.length === 0) return { type: "authenticated", user };
      const named = texts(field(status, "audiences"));
      const audiences = sharedAudiences(accepted, named.length > 0 ? named : impliedAudiences);
      return audiences.length === 0 ? { type: "noOpinion" } : { type: "authenticated", user, audiences };
    },
  };
}

function userOf(reviewedUser: unknown): UserInfo {
  const extra = Object.entries(field(reviewedUser, "extra") ?? {}).map(
    ([key, values]) => [key, texts(values)] as const,
  );
  const uid = text(field(reviewedUser, "uid"));
  return {
    name: text(field(reviewedUser, "username")),
    ...(uid !== "" && { uid }),
    groups: texts(field(reviewedUser, "groups")),
    extra: Object.fromEntries(extra),
  };
}
