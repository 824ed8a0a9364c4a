import type { ResourceDefinition } from "@orchernetes/apimachinery";
import { erase } from "../../meta/erase.ts";
import { selfSubjectReviews } from "./self-subject-review.ts";

/** Resources of `authentication.o8s.io/v1beta1`. */
export const authenticationV1beta1: readonly ResourceDefinition[] = [erase(selfSubjectReviews)];
