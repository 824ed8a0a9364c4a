import type { ResourceDefinition } from "@orchernetes/apimachinery";
import { erase } from "../../meta/erase.ts";
import { selfSubjectReviews } from "./self-subject-review.ts";

/** Resources of `authentication.o8s.io/v1alpha1`. */
export const authenticationV1alpha1: readonly ResourceDefinition[] = [erase(selfSubjectReviews)];
