import { resourceDefinitions } from "@orchernetes/apimachinery";
import { tokenReviews } from "./token-review.ts";

export * from "./token-request.ts";
export * from "./token-review.ts";

/** Resources of `authentication.o8s.io/v1`. */
export const authenticationV1 = resourceDefinitions(tokenReviews);
