import type { ResourceDefinition } from "@orchernetes/apimachinery";
import { erase } from "../../meta/erase.ts";
import { tokenReviews } from "./token-review.ts";

/** Resources of `authentication.o8s.io/v1`. */
export const authenticationV1: readonly ResourceDefinition[] = [erase(tokenReviews)];
