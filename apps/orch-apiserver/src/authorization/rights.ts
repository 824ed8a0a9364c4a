import type { rbac } from "@orchernetes/api";
import type { Authorizer, UserInfo } from "@orchernetes/auth";

/** Lists what one authorizer allows a user in a namespace, for SelfSubjectRulesReviews and for checks of escalation. */
export interface RuleSource {
  rulesFor(user: UserInfo, namespace: string): readonly rbac.PolicyRule[];
  /** Why the rules are incomplete; undefined if they are complete. */
  unresolved?(user: UserInfo): string | undefined;
  /** Errors in what grants the rules, such as bindings to roles that do not exist. */
  errors?(user: UserInfo, namespace: string): readonly string[];
  /** False: users cannot grant these rights to others, because only rights that come from roles can be put into roles. @default true */
  readonly grantable?: false;
}

/** What decides whether a user may do something, and whether a user may grant it to others. */
export interface Rights {
  readonly authorizers: readonly Authorizer[];
  readonly ruleSources: readonly RuleSource[];
}
