import { type Infer, message, ObjectMeta, object, pointer, required, value } from "@orchernetes/apimachinery";
import { NonResourceAttributes, ResourceAttributes, SubjectAccessReviewStatus } from "./common.ts";

const pkg = "authorization/v1";

export const SelfSubjectAccessReview = object(pkg, "SelfSubjectAccessReview", () => ({
  metadata: value(1, ObjectMeta),
  spec: required(2, SelfSubjectAccessReviewSpec),
  status: value(3, SubjectAccessReviewStatus),
}));
export interface SelfSubjectAccessReview extends Infer<typeof SelfSubjectAccessReview> {}

export const SelfSubjectAccessReviewSpec = message(pkg, "SelfSubjectAccessReviewSpec", () => ({
  resourceAttributes: pointer(1, ResourceAttributes),
  nonResourceAttributes: pointer(2, NonResourceAttributes),
}));
export interface SelfSubjectAccessReviewSpec extends Infer<typeof SelfSubjectAccessReviewSpec> {}
