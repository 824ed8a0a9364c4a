import { defineResource } from "@orchernetes/apimachinery";
import { reviewVerbs } from "../../meta/verbs.ts";
import { SubjectAccessReview } from "./types/subject-access-review.ts";
import { validateEmptyMetadata, validateSubjectAccessReviewSpec } from "./validation.ts";

/** Asks whether a user may do something. Answered at once, never stored. */
export const subjectAccessReviews = defineResource<SubjectAccessReview>({
  group: "authorization.o8s.io",
  version: "v1",
  kind: "SubjectAccessReview",
  plural: "subjectaccessreviews",
  singular: "subjectaccessreview",
  scope: "Cluster",
  verbs: reviewVerbs,
  schema: SubjectAccessReview,
  strategy: {
    prepareForCreate: (review) => {
      review.status = { allowed: false };
    },
    validate: (review) => [...validateSubjectAccessReviewSpec(review.spec), ...validateEmptyMetadata(review.metadata)],
  },
  columns: [],
});
