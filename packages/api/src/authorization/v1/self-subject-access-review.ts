import { defineResource } from "@orchernetes/apimachinery";
import { reviewVerbs } from "../../meta/verbs.ts";
import { SelfSubjectAccessReview } from "./types/self-subject-access-review.ts";
import { validateAttributes, validateEmptyMetadata } from "./validation.ts";

/** Asks whether the caller may do something. Answered at once, never stored. */
export const selfSubjectAccessReviews = defineResource<SelfSubjectAccessReview>({
  group: "authorization.o8s.io",
  version: "v1",
  kind: "SelfSubjectAccessReview",
  plural: "selfsubjectaccessreviews",
  singular: "selfsubjectaccessreview",
  scope: "Cluster",
  verbs: reviewVerbs,
  schema: SelfSubjectAccessReview,
  strategy: {
    prepareForCreate: (review) => {
      review.status = { allowed: false };
    },
    validate: (review) => [...validateAttributes(review.spec), ...validateEmptyMetadata(review.metadata)],
  },
  columns: [],
});
