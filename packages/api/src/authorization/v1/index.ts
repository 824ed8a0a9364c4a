import { resourceDefinitions } from "@orchernetes/apimachinery";
import {
  localSubjectAccessReviews,
  selfSubjectAccessReviews,
  selfSubjectRulesReviews,
  subjectAccessReviews,
} from "./reviews.ts";

export * from "./reviews.ts";
export * from "./types.ts";

/** Resources of `authorization.o8s.io/v1`. */
export const authorizationV1 = resourceDefinitions(
  localSubjectAccessReviews,
  selfSubjectAccessReviews,
  selfSubjectRulesReviews,
  subjectAccessReviews,
);
