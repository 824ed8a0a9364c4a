import type { Authorizer } from "./authorizer.ts";

/** Mode AlwaysAllow: allows every request. */
export const alwaysAllow: Authorizer = { authorize: () => ({ type: "Allow" }) };

/** Mode AlwaysDeny. It has no opinion, as in Kubernetes, so that other modes and the superuser group still allow requests. */
export const alwaysDeny: Authorizer = { authorize: () => ({ type: "NoOpinion", reason: "Everything is forbidden." }) };
