/** Values of `--authorization-mode`. */
export const authorizationModes = ["AlwaysAllow", "AlwaysDeny", "ABAC", "Webhook", "RBAC", "Node"] as const;

/** How permission can be decided. */
export type AuthorizationMode = (typeof authorizationModes)[number];
