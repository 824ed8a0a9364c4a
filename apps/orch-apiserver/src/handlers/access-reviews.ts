import type { authorization } from "@orchernetes/api";
import { type FieldError, field, invalid as invalidObject } from "@orchernetes/apimachinery";
import type { Attributes, Authorizer, RequestHandler, UserInfo } from "@orchernetes/apiserver";
import { reviewHandler } from "./review.ts";

type AccessSpec = Pick<authorization.SubjectAccessReviewSpec, "resourceAttributes" | "nonResourceAttributes">;
type Status = authorization.SubjectAccessReviewStatus;

const attribute = (path: string, value: string, detail: string): FieldError => ({
  type: "FieldValueInvalid",
  field: path,
  message: `Invalid value: ${value}: ${detail}`,
});

/** Shared rules: exactly one of the two attribute sets, and somebody to ask about. */
export function checkAccessSpec(
  spec: AccessSpec,
  subject?: { readonly user?: string | undefined; readonly groups?: readonly string[] | undefined },
): readonly FieldError[] {
  const errors: FieldError[] = [];
  const { resourceAttributes, nonResourceAttributes } = spec;
  if (resourceAttributes && nonResourceAttributes)
    errors.push(
      attribute(
        String(field("spec").child("nonResourceAttributes")),
        `authorization.NonResourceAttributes{Path:${JSON.stringify(nonResourceAttributes.path ?? "")}, Verb:${JSON.stringify(nonResourceAttributes.verb ?? "")}}`,
        "cannot be specified in combination with resourceAttributes",
      ),
    );
  if (!resourceAttributes && !nonResourceAttributes)
    errors.push(
      attribute(
        "spec.resourceAttributes",
        '"null"',
        "exactly one of nonResourceAttributes or resourceAttributes must be specified",
      ),
    );
  if (subject && !subject.user && !subject.groups?.length)
    errors.push(attribute("spec.user", '""', "at least one of user or group must be specified"));
  return errors;
}

function refuse(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalidObject({ group: "authorization.o8s.io", kind: "" }, "", errors);
}

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

/** Asks the authorizers in order, as a request of that user would. */
export async function decide(authorizers: readonly Authorizer[], attributes: Attributes): Promise<Status> {
  const reasons: string[] = [];
  for (const authorizer of authorizers) {
    try {
      const decision = await authorizer.authorize(attributes);
      if (decision.reason) reasons.push(decision.reason);
      if (decision.type === "Allow") return { allowed: true, ...(decision.reason && { reason: decision.reason }) };
      if (decision.type === "Deny")
        return { allowed: false, denied: true, ...(decision.reason && { reason: decision.reason }) };
    } catch (error) {
      return { allowed: false, evaluationError: error instanceof Error ? error.message : String(error) };
    }
  }
  return { allowed: false, ...(reasons.length > 0 && { reason: reasons.join(", ") }) };
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
    refuse(checkAccessSpec(review.spec, review.spec));
    return { ...review, status: await decide(authorizers, attributesOf(review.spec, userOf(review.spec))) };
  });
}

/** `localsubjectaccessreviews`: the same within one namespace. */
export function localSubjectAccessReviewHandler(authorizers: readonly Authorizer[]): RequestHandler {
  return reviewHandler<authorization.LocalSubjectAccessReview>(async (review, { requestInfo }) => {
    const { spec } = review;
    const errors = [...checkAccessSpec(spec, spec)];
    const namespace = spec.resourceAttributes?.namespace ?? "";
    if (spec.resourceAttributes && namespace !== requestInfo.namespace)
      errors.push(
        attribute("spec.resourceAttributes.namespace", JSON.stringify(namespace), "must match metadata.namespace"),
      );
    if (spec.nonResourceAttributes)
      errors.push(
        attribute(
          "spec.nonResourceAttributes",
          `authorization.NonResourceAttributes{Path:${JSON.stringify(spec.nonResourceAttributes.path ?? "")}, Verb:${JSON.stringify(spec.nonResourceAttributes.verb ?? "")}}`,
          "disallowed on this kind of request",
        ),
      );
    refuse(errors);
    return { ...review, status: await decide(authorizers, attributesOf(spec, userOf(spec))) };
  });
}

/** `selfsubjectaccessreviews`: may I? */
export function selfSubjectAccessReviewHandler(authorizers: readonly Authorizer[]): RequestHandler {
  return reviewHandler<authorization.SelfSubjectAccessReview>(async (review, { user }) => {
    refuse(checkAccessSpec(review.spec));
    return { ...review, status: await decide(authorizers, attributesOf(review.spec, user)) };
  });
}
