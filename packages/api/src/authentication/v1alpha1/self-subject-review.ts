import { defineResource } from "@orchernetes/apimachinery";
import { reviewVerbs } from "../../meta/verbs.ts";
import { SelfSubjectReview } from "./types/self-subject-review.ts";

/** Asks the server who the caller is. Answered at once, never stored. */
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
