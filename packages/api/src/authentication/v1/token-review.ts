import {
  bool,
  defineResource,
  type Infer,
  list,
  mapOf,
  message,
  ObjectMeta,
  object,
  optional,
  required,
  string,
  value,
} from "@orchernetes/apimachinery";
import { reviewVerbs } from "../../shared/definitions.ts";

const pkg = "authentication/v1";

/** A question about a bearer token: is it valid, and whose is it? It is answered immediately and never stored. */
export const TokenReview = object(pkg, "TokenReview", () => ({
  metadata: value(1, ObjectMeta),
  spec: required(2, TokenReviewSpec),
  status: value(3, TokenReviewStatus),
}));
export interface TokenReview extends Infer<typeof TokenReview> {}

/** The token in question. */
export const TokenReviewSpec = message(pkg, "TokenReviewSpec", () => ({
  token: optional(1, string),
  audiences: optional(2, list(string)),
}));
export interface TokenReviewSpec extends Infer<typeof TokenReviewSpec> {}

/** The result of authenticating the token. */
export const TokenReviewStatus = message(pkg, "TokenReviewStatus", () => ({
  authenticated: optional(1, bool),
  user: value(2, UserInfo),
  audiences: optional(4, list(string)),
  error: optional(3, string),
}));
export interface TokenReviewStatus extends Infer<typeof TokenReviewStatus> {}

/** A user as the authenticators see it. */
export const UserInfo = message(pkg, "UserInfo", () => ({
  username: optional(1, string),
  uid: optional(2, string),
  groups: optional(3, list(string)),
  extra: optional(4, mapOf(list(string))),
}));
export interface UserInfo extends Infer<typeof UserInfo> {}

/**
 * `authentication.o8s.io/v1` token reviews: which user a bearer token belongs to. Answered immediately, never stored.
 */
export const tokenReviews = defineResource<TokenReview>({
  group: "authentication.o8s.io",
  version: "v1",
  kind: "TokenReview",
  plural: "tokenreviews",
  singular: "tokenreview",
  scope: "Cluster",
  verbs: reviewVerbs,
  schema: TokenReview,
  strategy: {
    prepareForCreate: (review) => {
      review.status = { user: {} };
    },
  },
  columns: [],
});
