import type { Authorizer, Decision } from "@orchernetes/apiserver";

/** Mode AlwaysAllow. */
export const alwaysAllow: Authorizer = { authorize: () => ({ type: "Allow" }) };

/** Mode AlwaysDeny: has no opinion, so that nothing but the superuser group gets through. */
export const alwaysDeny: Authorizer = { authorize: () => ({ type: "NoOpinion", reason: "Everything is forbidden." }) };

const NO_OPINION: Decision = Object.freeze({ type: "NoOpinion" });

/** Members of `system:masters` may do everything, in every mode: the way in when roles are broken. */
export const superusers: Authorizer = {
  authorize: ({ user }) => (user.groups.includes("system:masters") ? { type: "Allow" } : NO_OPINION),
};
