import { resourceDefinitions } from "@orchernetes/apimachinery";
import { selfSubjectReviews } from "./self-subject-review.ts";

export * from "./self-subject-review.ts";

/** Resources of `authentication.o8s.io/v1alpha1`. */
export const authenticationV1alpha1 = resourceDefinitions(selfSubjectReviews);
