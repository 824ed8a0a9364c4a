import { defineResource } from "@orchernetes/apimachinery";
import { reviewVerbs } from "../../meta/verbs.ts";
import { TokenReview } from "./types/token-review.ts";

/** Asks who a bearer token belongs to. Answered at once, never stored. */
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
