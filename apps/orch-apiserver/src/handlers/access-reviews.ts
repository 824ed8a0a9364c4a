import type { authorization } from "@orchernetes/api";
import type { RequestHandler } from "@orchernetes/apiserver";
import { type Attributes, Authorization, type Authorizer, errorsText, type UserInfo } from "@orchernetes/auth";
import { assertNever } from "@orchernetes/kernel";
import { reviewHandler } from "./review.ts";

type AccessSpec = Pick<authorization.SubjectAccessReviewSpec, "resourceAttributes" | "nonResourceAttributes">;
type Status = authorization.SubjectAccessReviewStatus;

function attributesOf(spec: AccessSpec, user: UserInfo): Attributes {
  const { resourceAttributes: r, nonResourceAttributes: n } = spec;
  return {
    user,
    verb: r?.verb ?? n?.verb ?? "",
    namespace: r?.namespace ?? "",
    apiGroup: r?.group ?? "",
    apiVersion: r?.version ?? "",
    resource: r?.resource ?? "",
    subresource: r?.subresource ?? "",
    name: r?.name ?? "",
    path: n?.path ?? "",
    resourceRequest: r !== undefined,
  };
}

/** Status of a review: what the authorizers would decide about a request of that user. */
export async function decide(authorizers: readonly Authorizer[], attributes: Attributes): Promise<Status> {
  const decision = await new Authorization(authorizers).authorize(attributes);
  const reason = decision.reason && { reason: decision.reason };
  switch (decision.type) {
    case "Allow":
      return { allowed: true, ...reason };
    case "Deny":
      return { allowed: false, denied: true, ...reason };
    case "NoOpinion":
      return {
        allowed: false,
        ...reason,
        ...(decision.errors !== undefined && { evaluationError: errorsText(decision.errors) }),
      };
    default:
      return assertNever(decision);
  }
}

function userOf(spec: authorization.SubjectAccessReviewSpec): UserInfo {
  return {
    name: spec.user ?? "",
    groups: spec.groups ?? [],
    extra: spec.extra ?? {},
    ...(spec.uid && { uid: spec.uid }),
  };
}

/** `subjectaccessreviews`: may this user do that? Serves the delegated authorization of the other daemons. */
export function subjectAccessReviewHandler(authorizers: readonly Authorizer[]): RequestHandler {
  return reviewHandler<authorization.SubjectAccessReview>(async (review) => {
    return { ...review, status: await decide(authorizers, attributesOf(review.spec, userOf(review.spec))) };
  });
}

/** `localsubjectaccessreviews`: the same within one namespace. */
export function localSubjectAccessReviewHandler(authorizers: readonly Authorizer[]): RequestHandler {
  return reviewHandler<authorization.LocalSubjectAccessReview>(async (review) => {
    const { spec } = review;
    return { ...review, status: await decide(authorizers, attributesOf(spec, userOf(spec))) };
  });
}

/** `selfsubjectaccessreviews`: may I? */
export function selfSubjectAccessReviewHandler(authorizers: readonly Authorizer[]): RequestHandler {
  return reviewHandler<authorization.SelfSubjectAccessReview>(async (review, { user }) => {
    return { ...review, status: await decide(authorizers, attributesOf(review.spec, user)) };
  });
}
