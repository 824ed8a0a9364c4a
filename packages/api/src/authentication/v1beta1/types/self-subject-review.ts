import { type Infer, message, ObjectMeta, object, value } from "@orchernetes/apimachinery";
import { UserInfo } from "../../v1/types/token-review.ts";

const pkg = "authentication/v1beta1";

export const SelfSubjectReviewStatus = message(pkg, "SelfSubjectReviewStatus", () => ({
  userInfo: value(1, UserInfo),
}));
export interface SelfSubjectReviewStatus extends Infer<typeof SelfSubjectReviewStatus> {}

export const SelfSubjectReview = object(pkg, "SelfSubjectReview", () => ({
  metadata: value(1, ObjectMeta),
  status: value(2, SelfSubjectReviewStatus),
}));
export interface SelfSubjectReview extends Infer<typeof SelfSubjectReview> {}
