import type { authentication } from "@orchernetes/api";
import type { SelfSubjectReview } from "@orchernetes/api/authentication/v1beta1";
import { badRequest } from "@orchernetes/apimachinery";
import type { RequestHandler } from "@orchernetes/apiserver";
import { type TokenAuthenticator, type UserInfo, withAuthenticatedGroup } from "@orchernetes/auth";
import { assertNever } from "@orchernetes/kernel";
import { reviewHandler } from "./review.ts";

/** An authenticated user as reviews show it. */
function reviewedUser(user: UserInfo): authentication.UserInfo {
  const { groups } = withAuthenticatedGroup(user);
  return {
    username: user.name,
    ...(user.uid && { uid: user.uid }),
    groups,
    ...(Object.keys(user.extra).length > 0 && { extra: user.extra }),
  };
}

/** `tokenreviews`: whose token is this? Serves the delegated authentication of the other daemons. */
export function tokenReviewHandler(tokens: TokenAuthenticator, apiAudiences: readonly string[]): RequestHandler {
  return reviewHandler<authentication.TokenReview>(async (review) => {
    const { token, audiences: asked } = review.spec;
    if (!token) throw badRequest("token is required for TokenReview in authentication");
    const audiences = asked !== undefined && asked.length > 0 ? asked : apiAudiences;
    const result = await tokens.authenticateToken(token, audiences);
    switch (result.type) {
      case "authenticated":
        return {
          ...review,
          status: {
            authenticated: true,
            user: reviewedUser(result.user),
            ...(result.audiences && { audiences: result.audiences }),
          },
        };
      case "rejected":
        return { ...review, status: { user: {}, error: result.reason } };
      case "noOpinion":
        return { ...review, status: { user: {} } };
      default:
        return assertNever(result);
    }
  });
}

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
