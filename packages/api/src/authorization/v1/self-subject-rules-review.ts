import { defineResource } from "@orchernetes/apimachinery";
import { reviewVerbs } from "../../meta/verbs.ts";
import { SelfSubjectRulesReview } from "./types/self-subject-rules-review.ts";

/** Asks what the caller may do in a namespace. Answered at once, never stored. */
export const selfSubjectRulesReviews = defineResource<SelfSubjectRulesReview>({
  group: "authorization.o8s.io",
  version: "v1",
  kind: "SelfSubjectRulesReview",
  plural: "selfsubjectrulesreviews",
  singular: "selfsubjectrulesreview",
  scope: "Cluster",
  verbs: reviewVerbs,
  schema: SelfSubjectRulesReview,
  strategy: {
    prepareForCreate: (review) => {
      review.status = { resourceRules: [], nonResourceRules: [], incomplete: false };
    },
  },
  columns: [],
});
