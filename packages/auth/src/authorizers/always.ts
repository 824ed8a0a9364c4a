import { type Authorizer, NO_OPINION } from "./authorizer.ts";

/** Mode AlwaysAllow. */
export const alwaysAllow: Authorizer = { authorize: () => ({ type: "Allow" }) };

/** Mode AlwaysDeny: has no opinion, so that nothing but the superuser group gets through. */
export const alwaysDeny: Authorizer = { authorize: () => ({ type: "NoOpinion", reason: "Everything is forbidden." }) };

/** Allows everything to the members of some groups, such as `system:masters`: the way in when roles are broken. */
export function privilegedGroups(...privileged: readonly string[]): Authorizer {
  const groups = new Set(privileged);
  return { authorize: ({ user }) => (user.groups.some((group) => groups.has(group)) ? { type: "Allow" } : NO_OPINION) };
}
