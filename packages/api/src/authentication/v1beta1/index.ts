import { resourceDefinitions } from "@orchernetes/apimachinery";
import { selfSubjectReviews } from "./self-subject-review.ts";

export * from "./self-subject-review.ts";

/** Resources of `authentication.o8s.io/v1beta1`. */
export const authenticationV1beta1 = resourceDefinitions(selfSubjectReviews);
