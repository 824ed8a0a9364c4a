import { type Infer, ObjectMeta, object, required, value } from "@orchernetes/apimachinery";
import { SubjectAccessReviewSpec, SubjectAccessReviewStatus } from "./common.ts";

const pkg = "authorization/v1";

export const SubjectAccessReview = object(pkg, "SubjectAccessReview", () => ({
  metadata: value(1, ObjectMeta),
  spec: required(2, SubjectAccessReviewSpec),
  status: value(3, SubjectAccessReviewStatus),
}));
export interface SubjectAccessReview extends Infer<typeof SubjectAccessReview> {}
