import type { ResourceDefinition } from "@orchernetes/apimachinery";
import { erase } from "../../meta/erase.ts";
import { localSubjectAccessReviews } from "./local-subject-access-review.ts";
import { selfSubjectAccessReviews } from "./self-subject-access-review.ts";
import { selfSubjectRulesReviews } from "./self-subject-rules-review.ts";
import { subjectAccessReviews } from "./subject-access-review.ts";

/** Resources of `authorization.o8s.io/v1`. */
export const authorizationV1: readonly ResourceDefinition[] = [
  erase(localSubjectAccessReviews),
  erase(selfSubjectAccessReviews),
  erase(selfSubjectRulesReviews),
  erase(subjectAccessReviews),
];
