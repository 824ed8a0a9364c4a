import { type Authorizer, NO_OPINION } from "./authorizer.ts";

/** Allows members of some groups everything, such as those of `system:masters`, who can then repair broken roles. */
export function privilegedGroups(...privileged: readonly string[]): Authorizer {
  const groups = new Set(privileged);
  return { authorize: ({ user }) => (user.groups.some((group) => groups.has(group)) ? { type: "Allow" } : NO_OPINION) };
}
