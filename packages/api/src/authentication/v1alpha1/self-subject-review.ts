import { defineResource, type Infer, message, ObjectMeta, object, value } from "@orchernetes/apimachinery";
import { reviewVerbs } from "../../shared/definitions.ts";
import { UserInfo } from "../v1/token-review.ts";

const pkg = "authentication/v1alpha1";

/** Who the asker is to the server. */
export const SelfSubjectReviewStatus = message(pkg, "SelfSubjectReviewStatus", () => ({
  userInfo: value(1, UserInfo),
}));
export interface SelfSubjectReviewStatus extends Infer<typeof SelfSubjectReviewStatus> {}

/** A question of the caller: which user am I to the server? Impersonation is taken into account. Source: KEP-3325. */
export const SelfSubjectReview = object(pkg, "SelfSubjectReview", () => ({
  metadata: value(1, ObjectMeta),
  status: value(2, SelfSubjectReviewStatus),
}));
export interface SelfSubjectReview extends Infer<typeof SelfSubjectReview> {}

/** Asks the server who the caller is. It is answered immediately and never stored. */
export const selfSubjectReviews = defineResource<SelfSubjectReview>({
  group: "authentication.o8s.io",
  version: "v1alpha1",
  kind: "SelfSubjectReview",
  plural: "selfsubjectreviews",
  featureGate: "APISelfSubjectReview",
  singular: "selfsubjectreview",
  scope: "Cluster",
  verbs: reviewVerbs,
  schema: SelfSubjectReview,
  strategy: {
    prepareForCreate: (review) => {
      review.status = { userInfo: {} };
    },
  },
  columns: [],
});
