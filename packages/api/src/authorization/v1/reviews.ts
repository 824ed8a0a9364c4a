import { defineResource } from "@orchernetes/apimachinery";
import { reviewVerbs } from "../../shared/definitions.ts";
import {
  LocalSubjectAccessReview,
  SelfSubjectAccessReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
} from "./types.ts";
import {
  validateAttributes,
  validateEmptyMetadata,
  validateLocalSubjectAccessReview,
  validateSubjectAccessReviewSpec,
} from "./validation.ts";

/** `authorization.o8s.io/v1` reviews: whether a user may do something. Answered immediately, never stored. */
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

/** Reviews whether the caller may do something. Answered immediately, never stored. */
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

/**
 * Reviews whether a user may do something in one namespace. A separate kind, so that permission to create it can be
 * granted per namespace. Answered immediately, never stored.
 */
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

/** Lists what the caller may do in a namespace. Answered immediately, never stored. */
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
