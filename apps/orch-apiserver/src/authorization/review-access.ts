import type { authorization } from "@orchernetes/api";
import { type Attributes, Authorization, type Authorizer, errorsText } from "@orchernetes/auth";
import { assertNever } from "@orchernetes/kernel";

/**
 * The status of a SubjectAccessReview: what the authorizers decide about a request with these attributes. Errors of authorizers are
 * part of the status.
 */
export async function reviewAccess(
  authorizers: readonly Authorizer[],
  attributes: Attributes,
): Promise<authorization.SubjectAccessReviewStatus> {
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
