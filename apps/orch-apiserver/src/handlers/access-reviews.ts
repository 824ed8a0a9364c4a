import type { authorization } from "@orchernetes/api";
import type { RequestHandler } from "@orchernetes/apiserver";
import type { Attributes, Authorizer, UserInfo } from "@orchernetes/auth";
import { reviewAccess } from "../authorization/review-access.ts";
import { reviewHandler } from "./review.ts";

type AccessSpec = Pick<authorization.SubjectAccessReviewSpec, "resourceAttributes" | "nonResourceAttributes">;

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
    return { ...review, status: await reviewAccess(authorizers, attributesOf(review.spec, userOf(review.spec))) };
  });
}

/** `localsubjectaccessreviews`: the same within one namespace. */
export function localSubjectAccessReviewHandler(authorizers: readonly Authorizer[]): RequestHandler {
  return reviewHandler<authorization.LocalSubjectAccessReview>(async (review) => {
    const { spec } = review;
    return { ...review, status: await reviewAccess(authorizers, attributesOf(spec, userOf(spec))) };
  });
}

/** `selfsubjectaccessreviews`: may I? */
export function selfSubjectAccessReviewHandler(authorizers: readonly Authorizer[]): RequestHandler {
  return reviewHandler<authorization.SelfSubjectAccessReview>(async (review, { user }) => {
    return { ...review, status: await reviewAccess(authorizers, attributesOf(review.spec, user)) };
  });
}
