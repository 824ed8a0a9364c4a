import type { SelfSubjectReview } from "@orchernetes/api/authentication/v1beta1";
import type { RequestHandler } from "@orchernetes/apiserver";
import { reviewHandler } from "./review.ts";

/** `selfsubjectreviews`: who am I? */
export const selfSubjectReviewHandler: RequestHandler = reviewHandler<SelfSubjectReview>(async (review, { user }) => ({
  ...review,
  status: {
    userInfo: {
      username: user.name,
      ...(user.uid && { uid: user.uid }),
      groups: user.groups,
      ...(Object.keys(user.extra).length > 0 && { extra: user.extra }),
    },
  },
}));
