/** Values of `--authorization-mode`. */
export const authorizationModes = ["AlwaysAllow", "AlwaysDeny", "ABAC", "Webhook", "RBAC", "Node"] as const;

/** A way to decide whether a request is allowed. */
export type AuthorizationMode = (typeof authorizationModes)[number];
