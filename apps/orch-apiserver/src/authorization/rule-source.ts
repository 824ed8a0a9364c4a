import type { rbac } from "@orchernetes/api";
import type { UserInfo } from "@orchernetes/auth";

/** What one authorizer can report about everything that a user may do in a namespace. */
export interface RuleSource {
  rulesFor(user: UserInfo, namespace: string): readonly rbac.PolicyRule[];
  /** Why the rules do not show all that the user may do; undefined if they do. */
  unresolved?(user: UserInfo): string | undefined;
}
