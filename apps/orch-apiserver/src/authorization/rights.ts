import type { authorization, rbac } from "@orchernetes/api";
import { type Attributes, Authorization, type Authorizer, errorsText, type UserInfo } from "@orchernetes/auth";
import { assertNever } from "@orchernetes/kernel";

/** What one authorizer can report about everything that a user may do in a namespace. */
export interface RuleSource {
  rulesFor(user: UserInfo, namespace: string): readonly rbac.PolicyRule[];
  /** Why the rules do not show all that the user may do; undefined if they do. */
  unresolved?(user: UserInfo): string | undefined;
  /** What is wrong with what grants the rules, such as bindings to roles that do not exist. */
  errors?(user: UserInfo, namespace: string): readonly string[];
  /** False: the rules cannot be passed on in roles, since only those of RBAC can. @default true */
  readonly grantable?: false;
}

/** What decides who may grant what. */
export interface Rights {
  readonly authorizers: readonly Authorizer[];
  readonly ruleSources: readonly RuleSource[];
}

/** Status of a review: what the authorizers would decide about a request of that user. */
export async function decide(
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
