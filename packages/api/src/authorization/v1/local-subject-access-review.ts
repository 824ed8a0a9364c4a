import { defineResource } from "@orchernetes/apimachinery";
import { reviewVerbs } from "../../meta/verbs.ts";
import { LocalSubjectAccessReview } from "./types/local-subject-access-review.ts";
import { validateLocalSubjectAccessReview } from "./validation.ts";

/** Asks whether a user may do something in one namespace. Answered at once, never stored. */
export const localSubjectAccessReviews = defineResource<LocalSubjectAccessReview>({
  group: "authorization.o8s.io",
  version: "v1",
  kind: "LocalSubjectAccessReview",
  plural: "localsubjectaccessreviews",
  singular: "localsubjectaccessreview",
  scope: "Namespaced",
  verbs: reviewVerbs,
  schema: LocalSubjectAccessReview,
  strategy: {
    prepareForCreate: (review) => {
      review.status = { allowed: false };
    },
    validate: validateLocalSubjectAccessReview,
  },
  columns: [],
});
