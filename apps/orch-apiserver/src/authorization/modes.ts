/** Values of `--authorization-mode`. */
export const authorizationModes = ["AlwaysAllow", "AlwaysDeny", "ABAC", "Webhook", "RBAC", "Node"] as const;

/** How permission can be decided. */
export type AuthorizationMode = (typeof authorizationModes)[number];

/** The modes that exist; naming another one is refused. */
export const implementedModes: readonly AuthorizationMode[] = ["AlwaysAllow", "AlwaysDeny", "ABAC", "RBAC", "Node"];
